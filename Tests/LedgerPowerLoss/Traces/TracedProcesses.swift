/// Which process each thread of a trace belongs to, and which process started it.
///
/// The trace names threads only, and each process has descriptors of its own.
struct TracedProcesses {
  private enum Origin {
    /// Another thread of the same process started it.
    case thread(of: String)
    /// A thread of another process started it.
    case process(by: String)
  }

  private var origins: [String: Origin] = [:]

  /// Notes what a call started, if it did. The calls of a new thread may come before the end of the call
  /// that started it, so all calls must be noted before the first of them is understood.
  mutating func note(_ call: TracedCall) throws {
    guard ["clone", "clone3", "fork", "vfork"].contains(call.name), let result = call.result,
      result > 0
    else { return }
    let flags = Set(
      call.arguments.flatMap { $0.split { !$0.isLetter && $0 != "_" && !$0.isNumber } })
    let isThread = flags.contains("CLONE_THREAD")
    guard isThread || !flags.contains("CLONE_FILES") else {
      throw TraceError(text: "processes that share their descriptors are not modelled")
    }
    origins["\(result)"] = isThread ? .thread(of: call.thread) : .process(by: call.thread)
  }

  /// The first thread of the process that a thread belongs to.
  func process(of thread: String) -> String {
    var thread = thread
    while case .thread(let other)? = origins[thread] { thread = other }
    return thread
  }

  /// The process that started a process; `nil` for the first of the trace.
  func parent(of process: String) -> String? {
    guard case .process(let thread)? = origins[process] else { return nil }
    return self.process(of: thread)
  }
}
