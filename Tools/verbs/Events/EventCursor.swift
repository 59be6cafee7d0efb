import Foundation
import LedgerRuntime

/// The last event that `log` printed, in a file from which the next run goes on.
struct EventCursor: Equatable {
  private static let word = "promise-ledger-cursor"
  private static let version = "1"
  /// More than a whole cursor has.
  private static let maximumByteCount = 256

  let ledger: LedgerID
  let position: Position

  /// The content of the file.
  var bytes: [UInt8] {
    Array("\(Self.word) \(Self.version) \(ledger) \(position)\n".utf8)
  }

  init(ledger: LedgerID, position: Position) {
    (self.ledger, self.position) = (ledger, position)
  }

  /// Reads a file.
  ///
  /// - Returns: `nil` if there is no such file.
  /// - Throws: ``Status/Failure`` with `systemFailure` if the file cannot be read: check its permissions; with
  ///   `usage` if it is not a cursor: remove it, or name a different file.
  init?(from path: String) throws {
    let bytes: Data
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      bytes = try file.read(upToCount: Self.maximumByteCount) ?? Data()
    } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
      return nil
    } catch {
      throw Status.Failure(
        .systemFailure, "The cursor \(path) cannot be read: \(error.localizedDescription)")
    }
    let words = String(decoding: bytes, as: UTF8.self).split(
      separator: " ", omittingEmptySubsequences: false)
    guard words.count == 4, words[0] == Self.word, words[1] == Self.version,
      let ledger = LedgerID(String(words[2])), words[3].last == "\n",
      let position = UInt64(words[3].dropLast())
    else {
      throw Status.Failure(
        .usage,
        "The file \(path) is not a cursor that this version can read. Remove it, or name another file."
      )
    }
    self.init(ledger: ledger, position: Position(rawValue: position))
  }

  /// Checks that it belongs to a ledger.
  ///
  /// - Throws: ``Status/Failure`` with `usage` if the cursor belongs to a different ledger: name a different
  ///   file; with `corrupt` if it is later than the last event: an earlier copy replaced the ledger, so verify
  ///   the ledger, and remove the cursor to begin anew; ``LedgerError`` as ``BlockingInspector/head``.
  func check(against inspector: BlockingInspector, of path: String) throws {
    guard ledger == inspector.id else {
      throw Status.Failure(
        .usage,
        "The cursor \(path) belongs to ledger \(ledger), and this is ledger \(inspector.id). Use a file of its own for each ledger."
      )
    }
    let head = try inspector.head
    guard position <= head else {
      throw Status.Failure(
        .corrupt,
        "The cursor \(path) is at position \(position), and the last event has position \(head): the ledger was replaced by an earlier copy. Remove the cursor to start again."
      )
    }
  }
}
