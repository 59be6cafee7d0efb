import LedgerPromises
import LedgerRuntime
import LedgerRuntimeTesting

/// Runs callbacks that touch a user interface, as a program does that has one.
@main @MainActor
struct MainActorClient {
  static func main() async throws {
    let every = EveryOperator()
    let name = try await every.chain(Promise.value(User(name: "Ada"))).value
    await every.failures(Promise.value(name)).value
    _ = try await every.factories(["a", "b"]).value
    let steps = try await every.animation().execute()
    let animated = try await every.animations().execute()
    guard animated.text == "5" else {
      fatalError("the animations ended with \(animated.text ?? "")")
    }
    every.animations().start()
    every.others(Promise.value(User(name: "Grace")))
    await show(Promise.value("Ada"), in: every.label).value

    let model = ProfileModel()
    await model.load(Promise.value(User(name: "Ada"))).value

    let memory = MemoryLedger()
    let app = try await memory.open(as: .app)
    let durable = try await app.createPromise(of: User.self)
    let shown = model.show(durable)
    try await durable.fulfill(User(name: "Grace"))
    try await shown.value
    await app.close()
    print("\(every.label.text ?? ""), \(steps) steps, \(model.name), loading: \(model.isLoading)")
  }
}
