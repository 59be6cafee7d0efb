import PromiseLedger

/// Compaction with a bug, which the crash tests must detect: it deletes the events before the
/// records that hold them are durable.
enum WrongOrder {
  static func fold(_ store: any EventStore) throws(LedgerError) {
    let snapshot = try SnapshotReader(store)
    let head = try store.head()
    let slice = try FoldSlice.next(of: store, from: snapshot, through: head, limit: .max)
    var deletion = SnapshotEdit(snapshot.summary)
    deletion.new = slice.edit.new
    deletion.new.readBackThrough = slice.edit.new.position
    // The store compares counts, and the records are not there yet.
    deletion.new.counts = snapshot.summary.counts
    var log = snapshot.summary.deletedLog
    _ = try store.read(after: log.position, limit: .max) { (frame) throws(LedgerError) in
      guard frame.header.lastPosition < head else { return }
      deletion.add([TableChange(.log, frame.header.firstPosition.bigEndianBytes, nil)])
      try frame.forEachEvent { event throws(LedgerError) in
        let byteCount = event.attachmentByteCount
        let attachment =
          byteCount == 0 ? [] : try store.attachment(of: event.position, byteCount: byteCount)
        log.append(event, of: frame.header.commit, attachment: attachment)
      }
    }
    deletion.new.deletedLog = log
    let patience = Patience(.seconds(5))
    try store.apply(deletion, patience: patience)
    var folded = deletion.new
    folded.counts = slice.edit.new.counts
    _ = try store.changeSnapshot(
      slice.edit.sortedChanges, from: deletion.new, to: folded, patience: patience)
  }
}
