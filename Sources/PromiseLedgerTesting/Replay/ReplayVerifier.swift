import LedgerSystem
public import PromiseLedger

/// Verifies that a recorded history replays to the same state in every possible way.
///
/// It replays the history completely; from a snapshot at every position; after all its events were folded and
/// deleted; after that ledger was reopened; in a second process; and after it was exported and imported. All
/// of these must have the same `StateDigest`.
///
/// ```swift
/// let verifier = ReplayVerifier(.archives(["Fixtures/version-1.jsonl"]))
/// let verification = try verifier.run(expecting: StateDigest("6f…"))
/// ```
///
/// It works on copies: the history itself is only read.
public struct ReplayVerifier: Sendable {
  /// The source of the history.
  @nonexhaustive public enum History: Sendable, Hashable {
    /// The directory of a ledger.
    case ledger(String)
    /// The paths of archives, in the order that `LedgerImport` requires.
    case archives([String])
  }

  private let history: History

  /// The maximum number of positions at which a snapshot is taken. They are spread evenly and include the
  /// last position.
  ///
  /// Each costs a replay of the events that follow it.
  public var maximumSnapshotCount = 200

  /// The path of the command `promise-ledger`, which runs as the second process; `nil` skips that check.
  public var command: String?

  /// The directory for the copies that it works on.
  package var copyDirectory = "/tmp"

  /// Makes the copies; those in files are in a directory that it is given.
  package typealias CopyMaker = @Sendable (_ directory: String) -> any ReplayCopies

  /// Makes copies in files.
  static let filesOnly: CopyMaker = { FileCopies(directory: $0) }

  /// Makes the copies that it works on, in stores of any kind.
  package var makeCopies = Self.filesOnly

  /// Makes a verifier.
  public init(_ history: History) {
    self.history = history
  }

  /// Verifies the history. Blocks the thread until it is done.
  ///
  /// - Parameter expected: The digest that the state must have, such as one that an earlier version of your
  ///   program recorded; `nil` for any.
  /// - Returns: A summary of the verification.
  /// - Throws: ``ReplayDifference`` if two ways lead to different states; `LedgerError` if the history cannot
  ///   be read, or an event in it is unknown or invalid.
  /// - Complexity: O(events x snapshots).
  public func run(expecting expected: StateDigest? = nil) throws -> ReplayVerification {
    let workshop = try Workshop(in: copyDirectory, makeCopies)
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
    try reference.checkCompaction(archives, workshop)
    try reference.checkReopening(workshop)
    if let command {
      try reference.checkSecondProcess(workshop, command)
      verification.usedSecondProcess = true
    }
    try reference.checkArchive(workshop)
    return verification
  }

  private func archives(in workshop: borrowing Workshop) throws -> [String] {
    switch history {
    case .archives(let paths): return paths
    case .ledger(let path): return [try workshop.export(BlockingInspector(at: path))]
    }
  }
}

/// The result of a ``ReplayVerifier``.
public struct ReplayVerification: Sendable, Hashable {
  /// The last event of the history.
  public let position: Position
  /// The digest of the state at that position. Store it with a recorded history, and expect it in later
  /// versions.
  public let stateDigest: StateDigest
  /// The digest of the events.
  public let logDigest: LogDigest
  /// The number of snapshots from which the remaining events were replayed.
  public internal(set) var snapshotCount = 0
  /// Whether a second process replayed the history.
  public internal(set) var usedSecondProcess = false
}
