import PromiseLedger

/// Goes once through a promise's life and prints each acknowledged step, or the failure of a step.
struct Script {
  private let path: String
  private let steps: String

  init(_ path: String, _ arguments: inout Arguments) throws {
    self.path = path
    steps = try arguments.next("steps")
  }

  func run() async throws {
    let ledger = try await Ledger.open(at: path, as: .app)
    Output.line("opened \(ledger.session)")
    let key = try PromiseKey("script/\(ledger.session)")
    let promise = try ledger.promise(id: key.promiseID, of: [UInt8].self)
    var isResolved = false
    for step in steps {
      // No other process resolves it, so this would wait for ever.
      if step == "k", !isResolved { continue }
      do {
        switch step {
        case "c": _ = try await ledger.createPromise(key: key, of: [UInt8].self)
        case "r":
          try require(try await promise.fulfill([UInt8](repeating: 7, count: 9_000)))
          isResolved = true
        case "k": _ = try await promise.consume()
        case "f": try await ledger.freeze()
        case "u": try await ledger.unfreeze()
        case "x": await ledger.close()
        default: throw UsageError(what: "no step \(step)")
        }
        let mark = "crk".contains(step) ? step.uppercased() : "done-\(step)"
        Output.line("\(mark) \(promise.id)")
      } catch {
        Output.line(Output.describe(error))
      }
    }
  }

  private func require(_ resolution: PromiseResolution) throws {
    guard resolution.isSuccess else { throw UsageError(what: "not resolved: \(resolution)") }
  }
}
