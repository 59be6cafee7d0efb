import LedgerLMDB

/// The LMDB environment of a new ledger, next to its final place.
struct LMDBConstruction: LedgerConstruction {
  private let environment: Environment
  private let log: Table
  private let blob: Table

  init(_ environment: Environment) throws(LedgerError) {
    self.environment = environment
    (log, blob) = try LedgerError.mappingAll {
      (try environment.table(named: "log"), try environment.table(named: "blob"))
    }
  }

  let frameByteCount = PageValue.byteCount

  var source: any LedgerSource { LMDBLog(environment) }

  func append(
    _ frames: [(key: UInt64, bytes: [UInt8])],
    attachments: [(position: Position, bytes: [UInt8])]
  ) throws(LedgerError) {
    try LedgerError.mappingAll {
      try environment.writeGrowing { transaction in
        for frame in frames {
          try transaction.put(frame.bytes.span, forKey: frame.key, in: log, append: true)
        }
        for attachment in attachments {
          try Chunk.cut(attachment.bytes, of: attachment.position) {
            (key, chunk) throws(LMDBError) in
            try transaction.put(chunk.span, forKey: key.span, in: blob, append: true)
          }
        }
      }
    }
  }

  func put(_ entries: [TableChange]) throws(LedgerError) {
    try LedgerError.mappingAll {
      try environment.writeGrowing { transaction in
        for entry in entries {
          guard let value = entry.value else { continue }
          guard entry.table != .blob else {
            try Chunk.cut(value, of: Position(bigEndianBytes: entry.key)) {
              (key, chunk) throws(LMDBError) in
              try transaction.put(chunk.span, forKey: key.span, in: blob)
            }
            continue
          }
          let table = try environment.table(named: entry.table.name)
          try transaction.put(value.span, forKey: entry.key.span, in: table)
        }
      }
    }
  }
}
