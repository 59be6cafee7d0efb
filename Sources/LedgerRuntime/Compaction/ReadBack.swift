import LedgerSystem
import Synchronization

/// The changes of one step, to compare with the stored records.
package struct ReadBack: Sendable {
  /// The number of changes from which a separate thread is worth its cost.
  private static let fewestForThread = 100

  private let changes: [TableChange]
  /// The position of the snapshot after the step.
  package let position: Position

  package init(_ changes: [TableChange], at position: Position) {
    self.changes = changes
    self.position = position
  }

  /// Reads every change in a fresh view, and compares it with the computed one.
  ///
  /// - Throws: `corrupt` if they differ, or the snapshot has not reached the position yet; `snapshotMoved` if
  ///   another step may have changed them.
  package func check(in store: any EventStore) throws(LedgerError) {
    let reader = try SnapshotReader(store)
    guard reader.position >= position else {
      throw LedgerError(
        .corrupt,
        "The snapshot is at position \(reader.position) after it was moved to \(position). Restore the ledger from a copy."
      )
    }
    guard reader.position == position else { throw .snapshotMoved }
    for slice in changes.slices(of: SnapshotReader.sliceCount) {
      if let wrong = try reader.firstMissing(of: slice) ?? slice.first(where: { !$0.isSound }) {
        throw SnapshotRecord.damaged(wrong.subject, "it is not what was written")
      }
    }
  }

  /// Runs `body` while another thread checks.
  ///
  /// - Throws: The error of the check, otherwise the error of `body`.
  func check<R>(
    in store: any EventStore, while body: () throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    let outcome = Mutex<Result<Void, LedgerError>?>(nil)
    let checking = { @Sendable in
      let result = Result { () throws(LedgerError) in try check(in: store) }
      outcome.withLock { $0 = result }
    }
    let thread =
      changes.count < Self.fewestForThread
      ? nil : try? SystemThread.start(name: "ledger-readback", checking)
    if thread == nil { checking() }
    let result = Result { () throws(LedgerError) in try body() }
    thread?.join()
    try outcome.withLock { $0 }?.get()
    return try result.get()
  }
}
