import Foundation

/// The result of one run on a damaged file.
enum Verdict: String, CaseIterable {
  // Acceptable results.

  /// The same as without the damage.
  case same
  /// Ended with the exit code for damage, or, for a writer, with the error for it.
  case refused
  /// The process that reads ended in LMDB, and the command reported that.
  case childDied = "child died"
  /// The process that writes ended in LMDB.
  case writerDied = "writer died"

  // Unacceptable results.

  /// Ended with another exit code or error than that for damage.
  case wrongCode = "wrong code"
  /// Gave another answer without reporting a problem.
  case different
  /// Came to no end.
  case endless
  /// The command itself was ended by a signal.
  case crashed
  /// The process that reads or writes was ended by a signal that is none of LMDB's.
  case trapped
  /// Ended with the exit code for damage, but its output is not marked as incomplete.
  case unmarked
  /// Wrote control characters.
  case controls
  /// Found nothing, although another verb's answer had changed.
  case missed
  /// Acknowledged an event at a position that was taken.
  case reused
  /// Went on writing, and acknowledged events are gone or changed, without an error.
  case lost
  /// Continued to write, and data that was readable before no longer is.
  case damaged = "damaged by writing"

  var isAllowed: Bool {
    [Verdict.same, .refused, .childDied, .writerDied].contains(self)
  }

  /// The meaning of a signal that ended a process.
  ///
  /// LMDB follows a damaged file to invalid addresses, and aborts where it checks. All other
  /// signals come from elsewhere, such as the traps of Swift.
  ///
  /// - Parameter death: The verdict if LMDB ended it.
  static func ended(by signal: Int32, _ death: Verdict) -> Verdict {
    [SIGSEGV, SIGBUS, SIGABRT].contains(signal) ? death : .trapped
  }
}

/// An attempt on a damaged file.
enum Attempt: Hashable, Comparable {
  /// A reading verb of the tool.
  case read(Verb)
  /// Opening for writing, and writing.
  case write
  /// Compacting with the tool.
  case apply
  /// Compacting into a new generation with the tool.
  case shrink
  /// Making a ledger of the intact rest with the tool.
  case salvage
  #if Serve
    /// Serving the live page.
    case serve
  #endif

  static let all =
    Verb.allCases.map(Attempt.read) + [.write, .apply, .shrink, .salvage] + serving

  #if Serve
    private static let serving = [Attempt.serve]
  #else
    private static let serving: [Attempt] = []
  #endif

  /// The order in which seeds that do not try everything try some.
  static let rotation: [Attempt] =
    [
      .read(.log), .read(.stats), .write, .read(.promises), .read(.open), .write, .read(.verify),
      .read(.handlers), .read(.show), .write, .read(.digest), .read(.export), .write,
      .read(.compact), .apply, .read(.state), .read(.reverse), .write, .read(.past), .read(.diff),
      .read(.tail), .read(.joints), .read(.report), .read(.graph), .write, .read(.overview),
      .read(.explain), .read(.tree), .read(.backup), .shrink, .read(.sessions), .read(.work),
      .read(.trace), .salvage,
    ] + serving

  init?(name: String) {
    guard let attempt = Self.all.first(where: { $0.name == name }) else { return nil }
    self = attempt
  }

  var name: String {
    switch self {
    case .read(let verb): verb.rawValue
    case .write: "write"
    case .apply: "compact --apply"
    case .shrink: "compact --apply --shrink"
    case .salvage: "salvage"
    #if Serve
      case .serve: "serve"
    #endif
    }
  }

  static func < (left: Attempt, right: Attempt) -> Bool {
    (all.firstIndex(of: left) ?? 0) < (all.firstIndex(of: right) ?? 0)
  }
}
