import LedgerRuntime
import LedgerTestSupport
import Synchronization

/// Prints the calls of a process with their times.
package final class HistoryNotes: Sendable {
  private let process: String
  private let print: @Sendable (String) -> Void
  private let count = Atomic<Int>(0)

  /// - Parameter print: Prints a line in one call of the system, so that no kill tears it.
  init(process: String, print: @escaping @Sendable (String) -> Void) {
    (self.process, self.print) = (process, print)
  }

  func note(_ line: String) { print(line) }

  /// The next id of a call.
  func makeID() -> String {
    "\(process).\(count.wrappingAdd(1, ordering: .relaxed).newValue)"
  }

  /// The line is printed before the call, with a time before it: a killed process may have made the call.
  func call(_ id: String, _ object: String, _ words: String) {
    print("call \(id) \(HistoryTime.now) \(object) \(words)")
  }

  func code(of id: String, value: String) { print("code \(id) \(HistoryTime.now) \(value)") }

  /// - Parameter time: The time of the answer, which is taken before anything is printed.
  func answer(_ id: String, at time: Int64 = HistoryTime.now, _ text: String) {
    print("answer \(id) \(time) \(text)")
  }

  func codeReturns(_ object: String) -> String {
    let id = makeID()
    print("returns \(id) \(HistoryTime.now) \(object) \(id)")
    return id
  }
}

/// The notes of one call of a handler.
struct CallNotes: Sendable {
  let notes: HistoryNotes
  /// The call; `nil` if nobody made it.
  let call: String?
}

/// Notes that it runs, and with which argument.
struct ObservedHandler: LedgerHandler {
  static let kind = "observed"
  let value: String

  func run(in call: HandlerCall<CallNotes>) async throws {
    if let id = call.context.call { call.context.notes.code(of: id, value: value) }
    await Task.yield()
  }
}

/// Notes that it returns, and with which value.
struct ObservedWork: LedgerWork {
  static let kind = "observed-work"
  let object: String

  func run(in call: WorkCall<HistoryNotes>) async throws -> String {
    for _ in 0..<10 { await Task.yield() }
    try Task.checkCancellation()
    return call.context.codeReturns(object)
  }
}
