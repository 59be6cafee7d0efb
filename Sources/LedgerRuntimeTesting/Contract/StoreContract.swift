import LedgerModel

/// The rules that every store of a ledger must keep, by which a new store proves itself.
///
/// A storage is where ledgers are kept: ``LedgerStorage/memory``, `.files`, or ``LedgerStorage/init(_:)`` of stores
/// of your own. Each rule makes a new ledger there, works on its store, and compares what the store says and keeps
/// with what it must.
///
/// ```swift
/// try await StoreContract(.files).check()
/// ```
///
/// It needs no library for tests. With one, check each rule of ``rules`` by itself.
public struct StoreContract: Sendable {
  /// One rule.
  public struct Rule: Sendable, CustomStringConvertible {
    /// The rule as a sentence.
    public let name: String

    package let check: @Sendable (StoreContract) async throws -> Void

    package init(
      _ name: String, _ check: @escaping @Sendable (StoreContract) async throws -> Void
    ) {
      self.name = name
      self.check = check
    }

    /// A rule that works on one store without waiting.
    init(_ name: String, subject check: @escaping @Sendable (StoreSubject) throws -> Void) {
      self.init(name) { contract in try check(try contract.makeSubject()) }
    }

    /// The rule as a sentence.
    public var description: String { name }
  }

  /// A rule that a store does not keep.
  public struct Violation: Sendable, CustomStringConvertible {
    /// The rule.
    public let rule: Rule
    /// What the store did instead.
    public let message: String

    /// The rule, and what the store did instead.
    public var description: String { "\(rule.name): \(message)" }
  }

  /// All rules: those for events, for the snapshot, for sessions, and for a whole ledger.
  public static let rules: [Rule] =
    eventRules + attachmentRules + commitRules + snapshotRules + sessionRules + ledgerRules

  private let storage: LedgerStorage
  /// Whether the registry finds the sessions of processes that are gone dead.
  let findsDeadSessions: Bool

  /// Makes the contract of a store.
  ///
  /// - Parameters:
  ///   - storage: Where the store keeps ledgers. Each rule makes its own.
  ///   - findsDeadSessions: Whether the store knows which processes are gone; `false` for one that takes all
  ///     sessions for alive.
  public init(_ storage: LedgerStorage, findsDeadSessions: Bool = true) {
    self.storage = storage
    self.findsDeadSessions = findsDeadSessions
  }

  /// Checks rules, and reports those that the store does not keep.
  ///
  /// Without rules there are no violations, which proves nothing: make sure that a filter leaves some, or use
  /// ``check(_:)``, which refuses to check no rules.
  ///
  /// - Parameter rules: The rules; by default all.
  /// - Returns: The violations, in the order of the rules; none for a store that proves itself.
  public func violations(of rules: [Rule] = StoreContract.rules) async -> [Violation] {
    var violations: [Violation] = []
    for rule in rules {
      do {
        try await rule.check(self)
      } catch let broken as BrokenRule {
        violations.append(Violation(rule: rule, message: broken.message))
      } catch {
        violations.append(Violation(rule: rule, message: "it failed: \(error)"))
      }
    }
    return violations
  }

  /// Checks rules, and fails if the store does not keep one of them.
  ///
  /// - Parameter rules: The rules; by default all.
  /// - Throws: ``StoreContractFailure`` with all violations; `LedgerError` with `invalidArgument` if there are no
  ///   rules, for example because none has the name that a test chooses.
  public func check(_ rules: [Rule] = StoreContract.rules) async throws {
    guard !rules.isEmpty else {
      throw LedgerError(
        .invalidArgument, "There are no rules to check, which proves nothing. Name at least one.")
    }
    let violations = await violations(of: rules)
    if !violations.isEmpty { throw StoreContractFailure(violations: violations) }
  }

  /// The store of a new ledger.
  func makeSubject() throws(LedgerError) -> StoreSubject {
    let place = try makePlace()
    return StoreSubject(
      store: try place.openStore(), sessions: place.sessions, reopened: { try place.openStore() })
  }

  func makePlace() throws(LedgerError) -> LedgerStorage.Place {
    try storage.makePlace(Timestamp(nanosecondsSinceEpoch: 0))
  }
}

/// The error for a store that does not keep the contract.
public struct StoreContractFailure: Error, Sendable, CustomStringConvertible {
  /// The violations, in the order of the rules; at least one.
  public let violations: [StoreContract.Violation]

  /// The violations, one on each line.
  public var description: String {
    "The store does not keep the contract:\n"
      + violations.map { "- \($0)" }.joined(separator: "\n")
  }
}

/// What a store did in place of what a rule demands.
struct BrokenRule: Error {
  let message: String
}

/// Fails the rule unless `isKept`.
func require(_ isKept: Bool, _ message: @autoclosure () -> String) throws {
  if !isKept { throw BrokenRule(message: message()) }
}

/// Fails the rule unless two values are equal.
func requireEqual<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) throws {
  try require(found == expected, "\(what): \(found), not \(expected)")
}

/// Fails the rule unless `body` throws an error with a code.
///
/// - Returns: The error.
@discardableResult
func requireRefusal<R>(
  _ code: LedgerError.Code, _ what: String, _ body: () throws -> R
) throws -> LedgerError {
  do {
    _ = try body()
  } catch let error as LedgerError where error.code == code {
    return error
  } catch {
    throw BrokenRule(message: "\(what): \(error), not \(code)")
  }
  throw BrokenRule(message: "\(what): it succeeded, and should throw \(code)")
}
