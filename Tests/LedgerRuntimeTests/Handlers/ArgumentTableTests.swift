import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// Every cell of {absent, null, value} for the bound argument and for that of the call, for
/// mandatory and optional parameters of every type.
@Suite(.timeLimit(.minutes(10)))
struct ArgumentTableTests {
  /// The argument in one place.
  private enum Cell: CaseIterable {
    case absent
    /// `nil` in a literal.
    case null
    /// An optional without a value, as a value.
    case none
    case value
    /// An optional with a value, as a value.
    case some

    var hasValue: Bool { self == .value || self == .some }

    /// - Parameter other: Stands for an absent argument: a name that a call may give besides, and
    ///   that cannot be bound.
    func arguments<Value: Codable & Sendable>(
      _ value: Value, absent other: HandlerArguments
    ) -> HandlerArguments {
      switch self {
      case .absent: return other
      case .null: return ["value": nil]
      case .none: return ["value": Value?.none as any Encodable & Sendable]
      case .value: return ["value": value]
      case .some: return ["value": Value?.some(value) as any Encodable & Sendable]
      }
    }
  }

  private enum Expectation {
    case bound, given, nothing, missing
  }

  /// The oracle: the call's argument if present, else the bound one; absent and null are the same.
  private static func expectation(bound: Cell, given: Cell, isMandatory: Bool) -> Expectation {
    if given.hasValue { return .given }
    if bound.hasValue { return .bound }
    return isMandatory ? .missing : .nothing
  }

  private struct Mandatory<Value: Codable & Sendable>: LedgerHandler {
    static var kind: String { "mandatory" }
    let value: Value
    func run(in call: HandlerCall<Void>) -> Value { value }
  }

  private struct Voluntary<Value: Codable & Sendable>: LedgerHandler {
    static var kind: String { "voluntary" }
    let value: Value?
    func run(in call: HandlerCall<Void>) -> Value? { value }
  }

  private struct Table: ArgumentVisitor {
    let temporary: TemporaryLedger

    func visit<Value: Codable & Sendable & Equatable>(
      _ first: Value, _ second: Value
    ) async throws -> Int {
      var configuration = LedgerConfiguration()
      try configuration.handlers.register(Mandatory<Value>.self)
      try configuration.handlers.register(Voluntary<Value>.self)
      try configuration.handlers.register(Nothing.self)
      let ledger = try await temporary.open(as: .appExtension, configuration: configuration)
      var count = 0
      for bound in Cell.allCases {
        for given in Cell.allCases {
          try await check(Mandatory<Value>.self, bound, given, first, second, in: ledger) { $0 }
          try await check(Voluntary<Value>.self, bound, given, first, second, in: ledger) { $0 }
          count += 2
        }
      }
      await ledger.close()
      return count
    }

    private func check<Handler: LedgerHandler, Value: Codable & Sendable & Equatable>(
      _ type: Handler.Type, _ bound: Cell, _ given: Cell, _ first: Value, _ second: Value,
      in ledger: Ledger, value: (Handler.Output) -> Value?
    ) async throws {
      let cell = "\(Handler.kind), bound \(bound), given \(given)"
      let expected = expectation(
        bound: bound, given: given, isMandatory: Handler.kind == "mandatory")
      let handler = try await ledger.createHandler(
        type, bound.arguments(first, absent: [:])
      ).handler
      do {
        let output = value(
          try await handler.call(as: type, given.arguments(second, absent: ["other": 5])))
        switch expected {
        case .bound: #expect(output == first, "\(cell)")
        case .given: #expect(output == second, "\(cell)")
        case .nothing: #expect(output == nil, "\(cell)")
        case .missing: Issue.record("\(cell): not missed")
        }
      } catch let error as LedgerError {
        #expect(expected == .missing && error.code == .argumentMissing, "\(cell): \(error)")
        // It is not used up: with the argument it can be called.
        #expect(value(try await handler.call(as: type, ["value": second])) == second, "\(cell)")
      }
    }
  }

  @Test(arguments: ArgumentType.allCases)
  func everyCellIsAsTheRulesSay(type: ArgumentType) async throws {
    let other = try TemporaryLedger()
    var configuration = LedgerConfiguration()
    try configuration.handlers.register(Nothing.self)
    // The referenced entities are in the ledger, too, in another session.
    let ledger = try await other.open(as: .app, configuration: configuration)
    let count = try await type.visit(Table(temporary: other), in: ledger)
    #expect(count == 50)
    await ledger.close()
  }

  // MARK: Wrong types

  /// Binds or gives a value of one type where another is wanted.
  private struct Giver<Wanted: Codable & Sendable>: ArgumentVisitor {
    let ledger: Ledger
    let given: ArgumentType
    let wanted: ArgumentType

    func visit<Value: Codable & Sendable & Equatable>(
      _ first: Value, _ second: Value
    ) async throws {
      for (isFirst, value) in [(true, first), (false, second)] {
        let mayStand = given.mayStand(for: wanted, isFirst: isFirst)
        try await check(Mandatory<Wanted>.self, value, mayStand)
        try await check(Voluntary<Wanted>.self, value, mayStand)
      }
    }

    private func check<Handler: LedgerHandler>(
      _ type: Handler.Type, _ value: some Codable & Sendable, _ mayStand: Bool
    ) async throws {
      let given = try await ledger.createHandler(type).handler
      // A wrong type is noticed when it is bound.
      await check(mayStand) {
        try await ledger.createHandler(type, ["value": value]).handler.call()
      }
      await check(mayStand) { try await given.call(["value": value]) }
      if !mayStand {
        await expectError(.argumentMismatch) { try await given.rebind(["value": value]) }
        await expectError(.argumentMismatch) { try await given.merge(["value": value]) }
      }
    }

    private func check(
      _ mayStand: Bool, _ call: () async throws -> HandlerResult
    ) async {
      do {
        _ = try await call()
        #expect(mayStand, "\(given) for \(wanted)")
      } catch {
        #expect(
          !mayStand && (error as? LedgerError)?.code == .argumentMismatch,
          "\(given) for \(wanted): \(error)")
      }
    }
  }

  private struct Wanter: ArgumentVisitor {
    let temporary: TemporaryLedger
    let wanted: ArgumentType

    func visit<Wanted: Codable & Sendable & Equatable>(
      _ first: Wanted, _ second: Wanted
    ) async throws {
      var configuration = LedgerConfiguration()
      try configuration.handlers.register(Mandatory<Wanted>.self)
      try configuration.handlers.register(Voluntary<Wanted>.self)
      try configuration.handlers.register(Nothing.self)
      let ledger = try await temporary.open(as: .app, configuration: configuration)
      for given in ArgumentType.allCases {
        let giver = Giver<Wanted>(ledger: ledger, given: given, wanted: wanted)
        try await given.visit(giver, in: ledger)
      }
      await ledger.close()
    }
  }

  @Test(arguments: ArgumentType.allCases)
  func otherTypesAreRefusedAndIntegersWidened(wanted: ArgumentType) async throws {
    let temporary = try TemporaryLedger()
    var configuration = LedgerConfiguration()
    try configuration.handlers.register(Nothing.self)
    let ledger = try await temporary.open(as: .app, configuration: configuration)
    try await wanted.visit(Wanter(temporary: temporary, wanted: wanted), in: ledger)
    await ledger.close()
  }
}
