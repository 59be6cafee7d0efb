/// The other sessions that have not ended, checked in turns: a bounded number at each poll, regardless of the
/// total.
///
/// Newly opened sessions are added to it. It lists those of the snapshot piece by piece, when all others have
/// had their turn. It forgets a session that has ended or cannot be read.
package struct SessionRound: Sendable {
  /// The number of sessions that one poll checks.
  package static let usualCount = 64
  /// The number that an opening checks, and a poll after others that found dead sessions.
  package static let maximumCount = 256

  /// The sessions of one turn.
  package struct Turn: Sendable {
    /// The sessions that have not ended, according to the log.
    package var sessions: [SessionEntity] = []
    /// The sessions that ended since the last turn.
    package var ended: [SessionID] = []
  }

  private let own: SessionID
  /// The sessions that have not had their turn; the next one is last.
  private(set) var waiting: [SessionID] = []
  /// The sessions that have had their turn.
  private(set) var done: [SessionID] = []
  /// The last entry of the snapshot's list that was taken.
  private var listedKey: [UInt8]?
  /// The entry after which the walk through the list began, until the walk reaches it again; `nil` if it
  /// began with the first one.
  private var firstKey: [UInt8]?
  /// Whether the walk began at the list's first entry, or has continued there after the end.
  private var hasWrapped = true
  /// Whether the whole list of the snapshot was taken.
  private var isListed = false
  private var count = Self.usualCount

  package init(of own: SessionID) {
    self.own = own
  }

  /// Adds sessions that opened; their turn comes first.
  ///
  /// - Parameters:
  ///   - opened: The sessions, in the order of their openings.
  ///   - state: The state, in which they may have ended already.
  package mutating func add(_ opened: [SessionID], in state: LedgerState) {
    waiting += opened.filter { id in
      guard id != own else { return false }
      return state.sessions[id].map { !$0.isEnded } ?? true
    }
  }

  /// Forgets all sessions, because some may have opened and ended unnoticed.
  ///
  /// The walk through the snapshot's list continues where it was, so that each session has its turn however
  /// often this happens.
  package mutating func reset() {
    (waiting, done, isListed) = ([], [], false)
    (firstKey, hasWrapped) = (listedKey, listedKey == nil)
  }

  /// The sessions whose turn it is; none has two turns at the same time.
  ///
  /// - Parameter limit: The number of sessions to check; by default, it depends on the results of the last
  ///   turns.
  /// - Throws: `snapshotMoved`; `corrupt`. In that case no session is lost.
  /// - Complexity: O(limit), and once per round O(sessions) for reversing an array.
  package mutating func next(
    in state: LedgerState, limit: Int? = nil
  ) throws(LedgerError) -> Turn {
    var state = state
    var turn = Turn()
    let limit = limit ?? count
    var areKnown = false
    for number in 0..<limit {
      if waiting.isEmpty {
        try refill(from: state, limit: limit, turnCount: turn.sessions.count)
        areKnown = false
      }
      if !areKnown { try state.require(Set(waiting.suffix(limit - number).map(\.entityID))) }
      areKnown = true
      guard let id = waiting.last else { break }
      let session = try state.readableSession(id)
      waiting.removeLast()
      // A session that this build cannot read may be alive, so it is left alone.
      guard let session else { continue }
      if session.isEnded {
        turn.ended.append(id)
      } else {
        turn.sessions.append(session)
        done.append(id)
      }
    }
    return turn
  }

  /// Notes how many sessions of a turn were dead. The more there are, the more sessions the next turns check.
  package mutating func noteDead(_ deadCount: Int) {
    count = deadCount == 0 ? Self.usualCount : min(2 * count, Self.maximumCount)
  }

  /// Takes more of the snapshot's list, or begins the next round.
  ///
  /// - Parameter turnCount: The number of sessions in ``done`` that had their turn just now.
  private mutating func refill(
    from state: LedgerState, limit: Int, turnCount: Int
  ) throws(LedgerError) {
    while waiting.isEmpty, !isListed {
      let entries = try state.snapshot.entries(of: .sessions, after: listedKey, limit: limit)
      let isAtEnd = entries.count < limit
      // Entries after the beginning of the walk have had their turn.
      let new = entries.prefix { !hasWrapped || !isAfterBeginning($0.key) }
      listedKey = new.last?.key ?? listedKey
      isListed = hasWrapped && (isAtEnd || new.count < entries.count)
      if isAtEnd, !hasWrapped { (listedKey, hasWrapped) = (nil, true) }
      waiting = new.reversed().map { SessionID(entityID: $0.id) }.filter { $0 != own }
    }
    guard waiting.isEmpty else { return }
    waiting = done.dropLast(turnCount).reversed()
    done.removeFirst(waiting.count)
  }

  private func isAfterBeginning(_ key: [UInt8]) -> Bool {
    guard let firstKey else { return false }
    return firstKey.lexicographicallyPrecedes(key)
  }
}
