internal import CLedgerLMDB
package import LedgerSystem

/// The code that a function of LMDB returned: one of LMDB's own, or an `errno` of the system.
///
/// It is an open struct rather than an enum, because a newer LMDB may return codes that this build
/// does not know. The LMDB manual lists them under "Return Codes"; each constant here explains what
/// the code means for a ledger.
package struct LMDBStatus: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  init(_ code: Int32) {
    self.init(rawValue: code)
  }
}

// MARK: - LMDB's own codes

extension LMDBStatus {
  package static let success = LMDBStatus(MDB_SUCCESS)
  /// The key exists already; for an appending put, the key is not above the last one.
  package static let keyExists = LMDBStatus(MDB_KEYEXIST)
  package static let notFound = LMDBStatus(MDB_NOTFOUND)
  /// "Requested page not found - this usually indicates corruption".
  package static let pageNotFound = LMDBStatus(MDB_PAGE_NOTFOUND)
  /// "Located page was wrong type".
  package static let corrupted = LMDBStatus(MDB_CORRUPTED)
  /// "Update of meta page failed or environment had fatal error": close every handle and reopen.
  package static let panic = LMDBStatus(MDB_PANIC)
  /// The file, or the lock file of a live process, belongs to another version of LMDB.
  package static let versionMismatch = LMDBStatus(MDB_VERSION_MISMATCH)
  /// "File is not a valid LMDB file".
  package static let invalid = LMDBStatus(MDB_INVALID)
  /// The map is used up: grow it.
  package static let mapFull = LMDBStatus(MDB_MAP_FULL)
  /// More named tables than `Configuration.maximumTables`.
  package static let tablesFull = LMDBStatus(MDB_DBS_FULL)
  /// All reader slots are taken, even after the slots of dead processes were cleared.
  package static let readersFull = LMDBStatus(MDB_READERS_FULL)
  /// "Txn has too many dirty pages": write less in one transaction.
  package static let transactionFull = LMDBStatus(MDB_TXN_FULL)
  /// "Cursor stack too deep - internal error": a damaged tree.
  package static let cursorFull = LMDBStatus(MDB_CURSOR_FULL)
  /// "Page has not enough space - internal error".
  package static let pageFull = LMDBStatus(MDB_PAGE_FULL)
  /// Another process made the database larger than this process's map.
  package static let mapResized = LMDBStatus(MDB_MAP_RESIZED)
  /// "Operation and DB incompatible, or DB type changed".
  package static let incompatible = LMDBStatus(MDB_INCOMPATIBLE)
  /// Another transaction of the same thread uses the lock table slot.
  package static let badReaderSlot = LMDBStatus(MDB_BAD_RSLOT)
  /// "Transaction must abort, has a child, or is invalid": an earlier call in it failed.
  package static let badTransaction = LMDBStatus(MDB_BAD_TXN)
  /// "Unsupported size of key/DB name/data".
  package static let badValueSize = LMDBStatus(MDB_BAD_VALSIZE)
  /// "The specified DBI was changed unexpectedly".
  package static let badTable = LMDBStatus(MDB_BAD_DBI)
}

// MARK: - Codes of the system

extension LMDBStatus {
  /// An `errno` of the system.
  package static func system(_ code: SystemError.Code) -> LMDBStatus { LMDBStatus(code.rawValue) }

  /// The `errno` of the system, if the code is one; `nil` for LMDB's codes and ours.
  package var system: SystemError.Code? {
    rawValue > 0 ? SystemError.Code(rawValue: rawValue) : nil
  }
}

// MARK: - Our own

extension LMDBStatus {
  /// This layer refused before calling C; `LMDBError.refusal` gives the reason.
  ///
  /// The value is outside LMDB's range (-30799...-30780) and that of `errno` (positive).
  package static let refused = LMDBStatus(-1_000_000)
}

extension LMDBStatus: CustomStringConvertible {
  /// For LMDB's codes, the text of `mdb_strerror` with the number.
  package var description: String {
    if self == .refused { return "refused" }
    if let system { return "\(system)" }
    guard let text = unsafe mdb_strerror(rawValue) else { return "code \(rawValue)" }
    return unsafe "\(String(cString: text)) (\(rawValue))"
  }
}
