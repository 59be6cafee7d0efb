package import LedgerModel

/// Compares what writers were told of their commits with the log.
///
/// The writers print, for a commit with a number of their session:
///
/// - `tries NUMBER COUNT`, before they append events;
/// - `acknowledged NUMBER END`, with the position of the last event;
/// - `refused NUMBER`, if nothing was written;
/// - `unknown NUMBER`, if that could not be found out.
///
/// A commit without an answer is unknown, too: its writer was killed.
package struct CommitAudit: Sendable {
  fileprivate enum Answer: Sendable, Equatable {
    case acknowledged(end: Position)
    case refused
    case unknown
  }

  fileprivate struct Attempt: Sendable {
    let count: Int
    var answer = Answer.unknown
  }

  private var attempts: [CommitID: Attempt] = [:]

  package private(set) var acknowledgedEventCount = 0
  package private(set) var refusedCount = 0

  package init() {}

  /// The number of commits whose writers do not know what became of them.
  package var unknownCount: Int { attempts.values.count { $0.answer == .unknown } }

  /// Notes a line of a writer.
  ///
  /// - Returns: Whether the line has one of the forms.
  package mutating func note(_ line: String, of session: SessionID) -> Bool {
    let words = line.split(separator: " ")
    guard words.count >= 2, let number = UInt64(words[1]) else { return false }
    let commit = CommitID(session: session, number: number)
    switch (words[0], words.count > 2 ? UInt64(words[2]) : nil, attempts[commit]) {
    case ("tries", let count?, nil): attempts[commit] = Attempt(count: Int(count))
    case ("acknowledged", let end?, let attempt?):
      attempts[commit]?.answer = .acknowledged(end: Position(rawValue: end))
      acknowledgedEventCount += attempt.count
    case ("refused", nil, .some):
      attempts[commit]?.answer = .refused
      refusedCount += 1
    case ("unknown", nil, .some): break
    default: return false
    }
    return true
  }

  /// The places of the events of a commit.
  fileprivate struct Place {
    let first: Position
    var last: Position
    var count = 1
  }

  /// What is wrong with a log: it lacks events that were acknowledged, has them elsewhere or twice, or has events
  /// that were refused, or only some of a commit.
  package func problems(in log: [Position: CommitID]) -> [String] {
    var problems: [String] = []
    var places: [CommitID: Place] = [:]
    for number in 1...UInt64(max(log.count, 1)) {
      let position = Position(rawValue: number)
      guard let commit = log[position] else {
        problems.append("There is no event at \(position).")
        break
      }
      places[commit, default: Place(first: position, last: position, count: 0)].last = position
      places[commit]?.count += 1
    }
    for commit in places.keys where attempts[commit] == nil {
      problems.append("\(commit) is in the log, although no writer tried to commit it.")
    }
    for (commit, attempt) in attempts {
      if let problem = attempt.problem(at: places[commit]) {
        problems.append("\(commit) with \(attempt.count) events \(problem).")
      }
    }
    return problems
  }
}

extension CommitAudit.Attempt {
  fileprivate func problem(at place: CommitAudit.Place?) -> String? {
    guard let place else {
      if case .acknowledged = answer { return "was acknowledged, and is lost" }
      return nil
    }
    if answer == .refused { return "was refused, and is in the log at \(place.first)" }
    let end = place.first.advanced(by: count - 1)
    guard place.count == count, place.last == end else {
      return "has \(place.count) in the log, from \(place.first) to \(place.last)"
    }
    if case .acknowledged(let told) = answer, told != end {
      return "was acknowledged up to \(told), and ends at \(end)"
    }
    return nil
  }
}
