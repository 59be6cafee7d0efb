/// The other sessions that have not ended, looked at in turns: a bounded number at each poll, however
/// many there are.
///
/// Sessions that open are told to it; those of the snapshot it lists piece by piece, when all others
/// had their turn. It forgets a session once that has ended, or if it cannot be read.
package struct SessionRound: Sendable {
  /// How many sessions one poll looks at.
  package static let usualCount = 64
  /// How many an opening looks at, and a poll after others that found dead sessions.
  package static let maximumCount = 256

  /// What one turn is about.
  package struct Turn: Sendable {
    /// Those that have not ended, as far as the log tells.
    package var sessions: [SessionEntity] = []
    /// Those that ended since the last turn.
    package var ended: [SessionID] = []
  }

  private let own: SessionID
  /// Those whose turn comes, the next one last.
  private(set) var waiting: [SessionID] = []
  /// Those that had their turn.
  private(set) var done: [SessionID] = []
  /// The last entry of the snapshot's list that was taken.
  private var listedKey: [UInt8]?
  /// The entry after which the walk through the list began, until it is there again; `nil` if it began
  /// with the first one.
  private var firstKey: [UInt8]?
  /// Whether the walk began at the list's first entry, or went on there.
  private var hasWrapped = true
  /// Whether all of the snapshot's list was taken.
  private var isListed = false
  private var count = Self.usualCount

  package init(of own: SessionID) {
    self.own = own
  }

  /// Takes in sessions that opened; their turn comes first.
  ///
  /// - Parameters:
  ///   - opened: In the order of their openings.
  ///   - state: In which they may have ended already.
  package mutating func add(_ opened: [SessionID], in state: LedgerState) {
    waiting += opened.filter { id in
      guard id != own else { return false }
      return state.sessions[id].map { !$0.isEnded } ?? true
    }
  }

  /// Forgets everything, because sessions may have opened and ended unseen.
  ///
  /// The walk through the snapshot's list goes on where it was, so that each has its turn however often
  /// this happens.
  package mutating func reset() {
    (waiting, done, isListed) = ([], [], false)
    (firstKey, hasWrapped) = (listedKey, listedKey == nil)
  }

  /// Those whose turn it is; none has two at once.
  ///
  /// - Parameter limit: How many are looked at; by default as the last turns need.
  /// - Throws: `snapshotMoved`; `corrupt`. No session is lost then.
  /// - Complexity: O(limit), and once a round O(sessions) for an array to be turned round.
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
      // One that this build cannot read may be alive. It is none of its business.
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

  /// Hears how many sessions of a turn were dead. The more there are, the more the next turns look at.
  package mutating func noteDead(_ deadCount: Int) {
    count = deadCount == 0 ? Self.usualCount : min(2 * count, Self.maximumCount)
  }

  /// Takes in more of the snapshot's list, or begins the next round.
  ///
  /// - Parameter turnCount: How many of those that had their turn had it just now.
  private mutating func refill(
    from state: LedgerState, limit: Int, turnCount: Int
  ) throws(LedgerError) {
    while waiting.isEmpty, !isListed {
      let entries = try state.snapshot.entries(of: .sessions, after: listedKey, limit: limit)
      let isAtEnd = entries.count < limit
      // After the walk's beginning they had their turn.
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
