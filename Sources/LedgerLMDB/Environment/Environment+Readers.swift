internal import CLedgerLMDB

/// A slot of the lock file that a read transaction of any process holds.
package struct ReaderSlot: Sendable, Hashable {
  package let processID: Int32
  /// The transaction that the reader sees; nil when it is idle.
  package let transactionID: UInt64?
}

extension Environment {
  /// Frees the slots of dead processes and returns their number (`mdb_reader_check`).
  ///
  /// Otherwise the slot of a killed reader pins the pages that it saw, and the file grows.
  package func checkStaleReaders() throws(LMDBError) -> Int {
    try core.whileOpen(share) { () throws(LMDBError) in
      try core.checkStaleReaders()
    }
  }

  /// The slots in use (`mdb_reader_list`).
  package func readerList() throws(LMDBError) -> [ReaderSlot] {
    try core.whileOpen(share) { () throws(LMDBError) in
      let lines = ReaderLines()
      // mdb_reader_list returns the callback's result, which is never negative here.
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

/// The output of `mdb_reader_list`: a heading, then a line each with process, thread and
/// transaction or a dash.
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
