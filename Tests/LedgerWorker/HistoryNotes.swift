import LedgerTestSupport
import PromiseLedger
import Synchronization

/// Prints the calls of a process with their times.
final class HistoryNotes: Sendable {
  private let process: String
  private let count = Atomic<Int>(0)

  init(process: String) { self.process = process }

  /// The next id of a call.
  func makeID() -> String {
    "\(process).\(count.wrappingAdd(1, ordering: .relaxed).newValue)"
  }

  /// The line is printed before the call, with a time before it: a killed process may have made the call.
  func call(_ id: String, _ object: String, _ words: String) {
    Output.line("call \(id) \(HistoryTime.now) \(object) \(words)")
  }

  func code(of id: String, value: String) { Output.line("code \(id) \(HistoryTime.now) \(value)") }

  /// - Parameter time: The time of the answer, which is taken before anything is printed.
  func answer(_ id: String, at time: Int64 = HistoryTime.now, _ text: String) {
    Output.line("answer \(id) \(time) \(text)")
  }

  func codeReturns(_ object: String) -> String {
    let id = makeID()
    Output.line("returns \(id) \(HistoryTime.now) \(object) \(id)")
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
