import LedgerSystem
import PromiseLedger

extension Reference {
  /// Folds a copy step by step; at each position, the snapshot and the events after it must result in the
  /// expected state.
  func checkSnapshots(_ archives: [String], _ workshop: borrowing Workshop) throws {
    try workshop.copies.makeLedger("folded", from: archives)
    let store = try workshop.copies.openStore("folded")
    defer { store.close() }
    var folder = Folder()
    for (position, digest) in digests {
      try folder.fold(store, through: position)
      guard try store.snapshotSummary().stateDigest == digest else {
        throw try difference(.snapshot, store)
      }
      try compare(store, in: .snapshot)
    }
  }

  /// The copy without events.
  private static let compacted = "compacted"

  /// Folds and deletes all events of a copy.
  func checkCompaction(_ archives: [String], _ workshop: borrowing Workshop) throws {
    try workshop.copies.makeLedger(Self.compacted, from: archives)
    let store = try workshop.copies.openStore(Self.compacted)
    defer { store.close() }
    var folder = Folder()
    try folder.fold(store, through: head)
    try folder.markReadBack(of: store)
    while try EventDeletion(store).step(through: head) != nil {}
    try compare(store, in: .compaction)
  }

  /// Opens the compacted copy again.
  func checkReopening(_ workshop: borrowing Workshop) throws {
    let inspector = try workshop.copies.inspect(Self.compacted)
    defer { inspector.close() }
    try compare(inspector.store, in: .reopening)
  }

  /// Checks the digest of the compacted copy as computed by another process.
  func checkSecondProcess(_ workshop: borrowing Workshop, _ command: String) throws {
    let ledger = workshop.copies.argument(Self.compacted)
    let child = try ChildProcess([command, "digest", ledger, "--format", "json"], environment: [])
    child.closeInput()
    let output = String(decoding: child.read(), as: UTF8.self)
    let ending = child.wait()
    guard ending == .exited(0), let found = StateDigest(inJSON: output) else {
      throw LedgerError(
        .ioFailure,
        "The command \(command) did not print the state digest; it ended with \(ending)."
      )
    }
    guard found != digest else { return }
    throw ReplayDifference(
      check: .secondProcess, position: head, subject: nil, expected: digest, actual: found)
  }

  /// Exports the compacted copy and imports it.
  func checkArchive(_ workshop: borrowing Workshop) throws {
    let archive = try workshop.export(workshop.copies.inspect(Self.compacted))
    try workshop.copies.makeLedger("imported", from: [archive])
    let copy = try workshop.copies.inspect("imported")
    defer { copy.close() }
    try compare(copy.store, in: .archive)
  }
}

extension Folder {
  /// Folds exactly up to a position.
  ///
  /// - Throws: The reason why an event cannot be folded.
  fileprivate mutating func fold(
    _ store: any EventStore, through end: Position
  ) throws(LedgerError) {
    while let step = try step(of: store, through: end, limit: 5_000) {
      if let problem = step.problem { throw problem }
    }
  }
}

extension StateDigest {
  /// Reads the member `stateDigest` from the output of the command.
  fileprivate init?(inJSON text: String) {
    guard let start = text.firstRange(of: "\"stateDigest\":\"")?.upperBound else { return nil }
    self.init(String(text[start...].prefix(64)))
  }
}
