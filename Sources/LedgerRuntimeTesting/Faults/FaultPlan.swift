public import LedgerModel

/// What goes wrong in the store of a ledger, and when.
///
/// ```swift
/// try tester.plan([
///   .fail(.append, number: 3, with: .ledgerFull), .loseAnswer(of: .append, number: 5),
/// ])
/// ```
///
/// The numbers count the operations of the store from the moment of ``LedgerTester/plan(_:for:)``. Each fault
/// happens once. An operation has one fault at most: if several are planned for it, the first of the earliest plan
/// happens, and the others happen at the next operations of this kind, one at each. A fault that did not happen by the
/// end of a test fails the test.
public struct FaultPlan: Sendable, ExpressibleByArrayLiteral {
  /// An operation of a store.
  public struct Operation: Sendable, Hashable, CustomStringConvertible {
    private enum Name: String {
      case beginCommit, append, read, changeSnapshot
    }

    private let name: Name

    /// A writer begins a commit, before anything is decided.
    public static let beginCommit = Operation(name: .beginCommit)
    /// A writer appends the events of a commit.
    public static let append = Operation(name: .append)
    /// A session reads events or records, to catch up or to look something up.
    public static let read = Operation(name: .read)
    /// A compaction folds events, or deletes them.
    public static let changeSnapshot = Operation(name: .changeSnapshot)

    /// The name of the operation.
    public var description: String { name.rawValue }

    /// Whether the operation stores something.
    var isWrite: Bool { self == .append || self == .changeSnapshot }
  }

  /// One operation that goes wrong.
  public struct Fault: Sendable, CustomStringConvertible {
    enum Effect: Sendable {
      case fail(LedgerError.Code)
      case loseAnswer
      case tear
      case delay(FaultGate)
    }

    let operation: Operation
    let number: Int
    let effect: Effect

    /// The operation fails with a code, and does nothing.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - number: Its number since the plan was made, from 1.
    ///   - code: The code of the `LedgerError`, one that the operation may throw.
    public static func fail(
      _ operation: Operation, number: Int = 1, with code: LedgerError.Code
    ) -> Fault {
      Fault(operation: operation, number: number, effect: .fail(code))
    }

    /// The operation is carried out, and its answer is lost: it throws `commitOutcomeUnknown`.
    ///
    /// - Parameters:
    ///   - operation: `append` or `changeSnapshot`.
    ///   - number: Its number since the plan was made, from 1.
    public static func loseAnswer(of operation: Operation, number: Int = 1) -> Fault {
      Fault(operation: operation, number: number, effect: .loseAnswer)
    }

    /// The operation ends in its middle: a store is atomic, so nothing of it is there afterwards, and it throws
    /// `commitOutcomeUnknown`.
    ///
    /// - Parameters:
    ///   - operation: `append` or `changeSnapshot`.
    ///   - number: Its number since the plan was made, from 1.
    public static func tear(_ operation: Operation, number: Int = 1) -> Fault {
      Fault(operation: operation, number: number, effect: .tear)
    }

    /// The operation waits at a gate until the test opens it.
    ///
    /// - Parameters:
    ///   - operation: Any operation but `read`.
    ///   - number: Its number since the plan was made, from 1.
    ///   - gate: The gate.
    public static func delay(
      _ operation: Operation, number: Int = 1, until gate: FaultGate
    ) -> Fault {
      Fault(operation: operation, number: number, effect: .delay(gate))
    }

    /// The fault, such as `append 3 fails with ledgerFull`.
    public var description: String {
      switch effect {
      case .fail(let code): "\(operation) \(number) fails with \(code)"
      case .loseAnswer: "the answer of \(operation) \(number) is lost"
      case .tear: "\(operation) \(number) is torn"
      case .delay(let gate): "\(operation) \(number) waits at \(gate.name)"
      }
    }
  }

  /// The faults.
  public let faults: [Fault]

  /// Makes a plan.
  public init(_ faults: [Fault]) { self.faults = faults }

  /// Makes a plan.
  public init(arrayLiteral elements: Fault...) { self.init(elements) }

  /// - Throws: `invalidArgument` if a fault cannot happen.
  func check() throws(LedgerError) {
    for fault in faults {
      let isPossible =
        switch fault.effect {
        case .fail: true
        case .loseAnswer, .tear: fault.operation.isWrite
        case .delay: fault.operation != .read
        }
      guard isPossible, fault.number >= 1 else {
        throw LedgerError(
          .invalidArgument,
          "The fault cannot happen: \(fault). Numbers begin at 1, only writes have an outcome to lose, and reads are not delayed, because they block the thread of a task."
        )
      }
    }
  }
}
