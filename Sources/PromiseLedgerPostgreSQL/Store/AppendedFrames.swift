import LedgerBytes
import LedgerModel
import LedgerPostgreSQL

/// The frames and attachments of one commit, and the row that it leaves.
struct AppendedFrames {
  private(set) var frames: [(key: UInt64, bytes: [UInt8])] = []
  private var attachments: [(position: Position, bytes: [UInt8])] = []
  private let commit: CommitID
  private let head: Position
  private let known: LogRow
  private var frameNumber: UInt32

  /// The size in bytes up to which frames are filled: two rows with such frames fit into a page of the server.
  static let frameByteCount = 4_032

  init(_ batch: EventBatch, _ commit: CommitID, after known: LogRow) {
    self.commit = commit
    self.known = known
    head = known.head.advanced(by: batch.count)
    frameNumber = known.frameNumber
    batch.packFrames(
      from: known.head.advanced(by: 1), number: frameNumber &+ 1, commit: commit,
      filling: Self.frameByteCount
    ) { key, frame in
      frames.append((key, Array(copying: frame)))
      frameNumber &+= 1
    }
    attachments = batch.attachments.map {
      (known.head.advanced(by: $0.index + 1), $0.bytes)
    }
  }

  private var byteCount: Int {
    frames.reduce(0) { $0 + $1.bytes.count } + attachments.reduce(0) { $0 + $1.bytes.count }
  }

  /// The new values of the ledger's row.
  var rowValues: [Value] {
    [
      .int8(head.stored), commit.session.entityID.value, .int8(Int64(bitPattern: commit.number)),
      .int8(Int64(frameNumber)), .int8(Int64(byteCount)),
    ]
  }

  /// The values that the ledger's row must still have.
  var baseValues: [Value] {
    let last = known.commit ?? commit
    return [
      .int8(known.head.stored), .int8(known.epoch), last.session.entityID.value,
      .int8(Int64(bitPattern: last.number)),
    ]
  }

  var hasAttachments: Bool { !attachments.isEmpty }

  /// The frames, and the attachments if there are any.
  var entryValues: [Value] {
    Self.values(frames) + (hasAttachments ? Self.values(attachments) : [])
  }

  static func values(_ frames: [(key: UInt64, bytes: [UInt8])]) -> [Value] {
    [
      .int8Array(frames.map { Position(rawValue: $0.key).stored }),
      .bytesArray(frames.map(\.bytes)),
    ]
  }

  /// Attachments with the checksums that are stored beside them.
  static func values(_ attachments: [(position: Position, bytes: [UInt8])]) -> [Value] {
    [
      .int8Array(attachments.map(\.position.stored)), .bytesArray(attachments.map(\.bytes)),
      .int8Array(attachments.map { checksum(of: $0.bytes, at: $0.position) }),
    ]
  }

  static func checksum(of attachment: [UInt8], at position: Position) -> Int64 {
    Int64(CRC32C.checksum(key: position.rawValue, attachment.span))
  }
}
