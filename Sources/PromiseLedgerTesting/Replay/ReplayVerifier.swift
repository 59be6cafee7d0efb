import LedgerSystem
public import PromiseLedger

/// Proves that a recorded history replays to one state, whichever way the state comes about.
///
/// It replays the history whole; from a snapshot at every position; after all its events were folded and
/// deleted; after that ledger was opened again; in a second process; and after it was exported and
/// imported. All of these must have the same ``StateDigest``.
///
/// ```swift
/// let verifier = ReplayVerifier(.archives(["Fixtures/version-1.jsonl"]))
/// let verification = try verifier.run(expecting: StateDigest("6f…"))
/// ```
///
/// It works on copies: the history itself is read only.
public struct ReplayVerifier: Sendable {
  /// Where the history comes from.
  public enum History: Sendable, Hashable {
    /// The directory of a ledger.
    case ledger(String)
    /// Archives in their order, as `LedgerImport` takes them.
    case archives([String])
  }

  private let history: History

  /// At how many positions a snapshot is taken at most, spread evenly; the last one always is.
  ///
  /// Each costs a replay of what follows it.
  public var maximumSnapshotCount = 200

  /// The path of the command `promise-ledger`, which is the second process; `nil` leaves it out.
  public var command: String?

  /// Where it makes the copies that it works on.
  package var copyDirectory = "/tmp"

  /// Makes a verifier.
  public init(_ history: History) {
    self.history = history
  }

  /// Verifies the history. Blocks the thread for as long as it takes.
  ///
  /// - Parameter expected: The digest that the state must have, such as an earlier version of your program
  ///   recorded; `nil` for any.
  /// - Returns: What was verified.
  /// - Throws: ``ReplayDifference`` if two ways lead to two states; `LedgerError` if the history cannot
  ///   be read, or an event in it is unknown or makes no sense.
  /// - Complexity: O(events x snapshots).
  public func run(expecting expected: StateDigest? = nil) throws -> ReplayVerification {
    let workshop = try Workshop(in: copyDirectory)
    let archives = try archives(in: workshop)
    let reference = try Reference(of: archives, in: workshop, count: maximumSnapshotCount)
    if let expected, expected != reference.digest {
      throw ReplayDifference(
        check: .wholeReplay, position: reference.head, subject: nil, expected: expected,
        actual: reference.digest)
    }
    var verification = ReplayVerification(
      position: reference.head, stateDigest: reference.digest,
      logDigest: try reference.inspector.logDigest())
    try reference.checkSnapshots(archives, workshop)
    verification.snapshotCount = reference.digests.count
    let compacted = try reference.checkCompaction(archives, workshop)
    try reference.checkReopening(compacted)
    if let command {
      try reference.checkSecondProcess(compacted, command)
      verification.usedSecondProcess = true
    }
    try reference.checkArchive(compacted, workshop)
    return verification
  }

  private func archives(in workshop: borrowing Workshop) throws -> [String] {
    switch history {
    case .archives(let paths): return paths
    case .ledger(let path): return [try workshop.export(path)]
    }
  }
}

/// What a ``ReplayVerifier`` verified.
public struct ReplayVerification: Sendable, Hashable {
  /// The last event of the history.
  public let position: Position
  /// The digest of the state there. Write it down beside a recorded history, and expect it of later
  /// versions.
  public let stateDigest: StateDigest
  /// The digest of the events.
  public let logDigest: LogDigest
  /// From how many snapshots the rest was replayed.
  public internal(set) var snapshotCount = 0
  /// Whether a second process replayed it.
  public internal(set) var usedSecondProcess = false
}
