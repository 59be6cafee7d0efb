import LedgerModel
import LedgerPostgreSQL

/// A new ledger in the state `building`, in which no session opens it. One connection writes all of it.
struct PostgreSQLConstruction: LedgerConstruction {
  let views: LedgerViews
  let connection: Connection
  /// The maximum size of what one commit writes, in bytes.
  let byteLimit: Int

  let frameByteCount = AppendedFrames.frameByteCount

  var source: any LedgerSource { views }

  private var sql: LedgerSQL { views.sql }

  func append(
    _ frames: [(key: UInt64, bytes: [UInt8])],
    attachments: [(position: Position, bytes: [UInt8])]
  ) throws(LedgerError) {
    var statements = [sql.insert(attachments: attachments)]
    if let last = frames.last {
      let header = try FrameView(checking: last.bytes.span, key: last.key).header
      statements += [sql.insert(frames: frames), sql.setHead(header)]
    }
    let byteCount =
      frames.reduce(0) { $0 + $1.bytes.count } + attachments.reduce(0) { $0 + $1.bytes.count }
    try requireRoom(for: byteCount)
    try run(statements + [sql.addUsed(byteCount)])
  }

  func put(_ entries: [TableChange]) throws(LedgerError) {
    try requireRoom(for: entries.reduce(0) { $0 + $1.key.count + ($1.value?.count ?? 0) })
    var statements = sql.statements(for: entries)
    let attachments = entries.compactMap { entry in
      entry.table == .blob
        ? entry.value.map { (position: Position(bigEndianBytes: entry.key), bytes: $0) } : nil
    }
    statements.append(sql.insert(attachments: attachments))
    statements.append(sql.addUsed(attachments.reduce(0) { $0 + $1.bytes.count }))
    for entry in entries where entry.table == .meta {
      guard entry.key == SnapshotSummary.key, let value = entry.value else { continue }
      statements.append(sql.setSummary(try SnapshotSummary(decoding: value)))
    }
    try run(statements)
  }

  private func requireRoom(for byteCount: Int) throws(LedgerError) {
    guard byteCount <= byteLimit else { throw .commitTooLarge(byteCount, byteLimit) }
  }

  /// Runs statements, all of which take effect, or none.
  private func run(_ statements: [Statement]) throws(LedgerError) {
    try LedgerError.onServer(sql.names) { () throws(PostgreSQLError) in
      _ = try connection.run(statements)
    }
  }
}
