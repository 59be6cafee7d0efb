import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// The handlers that a registry takes and refuses.
@Suite(.timeLimit(.minutes(10)))
struct RegistryTests {
  private struct Plain: LedgerHandler {
    static let kind = "plain"
    func run(in call: HandlerCall<Void>) {}
  }

  private struct Twin: LedgerHandler {
    static let kind = "plain"
    func run(in call: HandlerCall<Void>) {}
  }

  private struct Renamed: LedgerHandler {
    static let kind = "renamed"
    static let formerKinds = ["plain"]
    func run(in call: HandlerCall<Void>) {}
  }

  private struct OwnFormer: LedgerHandler {
    static let kind = "own"
    static let formerKinds = ["own"]
    func run(in call: HandlerCall<Void>) {}
  }

  private struct TwiceFormer: LedgerHandler {
    static let kind = "twice"
    static let formerKinds = ["once", "once"]
    func run(in call: HandlerCall<Void>) {}
  }

  private struct CycleA: LedgerHandler {
    static let kind = "a"
    static let formerKinds = ["b"]
    func run(in call: HandlerCall<Void>) {}
  }

  private struct CycleB: LedgerHandler {
    static let kind = "b"
    static let formerKinds = ["a"]
    func run(in call: HandlerCall<Void>) {}
  }

  private struct Nameless: LedgerHandler {
    static let kind = ""
    func run(in call: HandlerCall<Void>) {}
  }

  private struct Overlong: LedgerHandler {
    static let kind = "long"
    static let formerKinds = [String(repeating: "x", count: 129)]
    func run(in call: HandlerCall<Void>) {}
  }

  private struct Unrecordable: LedgerHandler {
    struct Opaque: Sendable {}
    static let kind = "unrecordable"
    func run(in call: HandlerCall<Void>) -> Opaque { Opaque() }
  }

  private func expectRefusal(
    _ code: LedgerError.Code, naming words: [String] = [],
    sourceLocation: Testing.SourceLocation = #_sourceLocation,
    _ register: (inout HandlerRegistry) throws -> Void
  ) async {
    await expectError(code, naming: words, sourceLocation: sourceLocation) {
      var registry = HandlerRegistry()
      try register(&registry)
    }
  }

  @Test func aKindIsRegisteredOnce() async {
    await expectRefusal(.handlerKindTaken, naming: ["plain", "Plain", "Twin"]) { registry in
      try registry.register(Plain.self)
      try registry.register(Twin.self)
    }
    await expectRefusal(.handlerKindTaken, naming: ["plain"]) { registry in
      try registry.register(Plain.self)
      try registry.register(Plain.self)
    }
  }

  @Test func aNameBelongsToOneKind() async {
    await expectRefusal(.handlerKindTaken, naming: ["plain", "renamed"]) { registry in
      try registry.register(Plain.self)
      try registry.register(Renamed.self)
    }
    await expectRefusal(.handlerKindTaken, naming: ["plain", "renamed"]) { registry in
      try registry.register(Renamed.self)
      try registry.register(Plain.self)
    }
  }

  @Test func cyclesOfFormerNamesAreRefused() async {
    await expectRefusal(.handlerKindTaken, naming: ["own", "twice"]) { registry in
      try registry.register(OwnFormer.self)
    }
    await expectRefusal(.handlerKindTaken, naming: ["once"]) { registry in
      try registry.register(TwiceFormer.self)
    }
    await expectRefusal(.handlerKindTaken, naming: ["a", "b", "former name of the other"]) {
      registry in
      try registry.register(CycleA.self)
      try registry.register(CycleB.self)
    }
  }

  @Test func namesAreBounded() async {
    await expectRefusal(.invalidArgument) { try $0.register(Nameless.self) }
    await expectRefusal(.invalidArgument) { try $0.register(Overlong.self) }
  }

  @Test func returnedValuesMustBeRecordable() async {
    await expectRefusal(.invalidArgument, naming: ["Opaque"]) {
      try $0.register(Unrecordable.self)
    }
  }

  @Test func aRefusedKindLeavesTheRegistryAsItWas() async throws {
    var registry = HandlerRegistry()
    try registry.register(Plain.self)
    #expect(throws: LedgerError.self) { try registry.register(Renamed.self) }
    var configuration = LedgerConfiguration()
    configuration.handlers = registry
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: configuration)
    try await ledger.createHandler(Plain.self).handler.call()
    await expectError(.handlerUnregistered, naming: ["Renamed"]) {
      try await ledger.createHandler(Renamed.self)
    }
    // Another type of the same kind is not the registered one.
    await expectError(.handlerUnregistered, naming: ["Twin"]) {
      try await ledger.createHandler(Twin.self)
    }
    await ledger.close()
  }
}
