internal import CLedgerLMDB

/// A slot of the lock file that a read transaction holds, of whatever process.
package struct ReaderSlot: Sendable, Hashable {
  package let processID: Int32
  /// The transaction that the reader sees; nil when it is idle.
  package let transactionID: UInt64?
}

extension Environment {
  /// Frees the slots of dead processes and says how many there were (`mdb_reader_check`).
  ///
  /// A killed reader's slot otherwise pins the pages that it saw, and the file grows.
  package func checkStaleReaders() throws(LMDBError) -> Int {
    try core.whileOpen(share) { () throws(LMDBError) in
      try core.checkStaleReaders()
    }
  }

  /// The slots in use (`mdb_reader_list`).
  package func readerList() throws(LMDBError) -> [ReaderSlot] {
    try core.whileOpen(share) { () throws(LMDBError) in
      let lines = ReaderLines()
      // mdb_reader_list returns what the callback returned, which is never negative here.
      try core.require(.listReaders) {
        let result = unsafe mdb_reader_list(
          core.handle,
          { text, context in
            guard let text = unsafe text, let context = unsafe context else { return 0 }
            let lines = unsafe Unmanaged<ReaderLines>.fromOpaque(context).takeUnretainedValue()
            unsafe lines.text += String(cString: text)
            return 0
          }, Unmanaged.passUnretained(lines).toOpaque())
        return min(result, 0)
      }
      return lines.slots
    }
  }
}

/// What `mdb_reader_list` prints: a heading, then process, thread and transaction or a dash a line.
private final class ReaderLines {
  var text = ""

  var slots: [ReaderSlot] {
    text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ")
      guard fields.count == 3, let process = Int32(fields[0]) else { return nil }
      return ReaderSlot(processID: process, transactionID: UInt64(fields[2]))
    }
  }
}
