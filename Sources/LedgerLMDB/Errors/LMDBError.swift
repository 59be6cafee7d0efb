internal import LedgerSystem

/// A failure of LMDB, or a refusal of the layer around it.
package struct LMDBError: Error, Sendable, Hashable {
  /// The code that C returned, or ``LMDBStatus/refused``.
  package var status: LMDBStatus
  /// The operation that failed.
  package var operation: LMDBOperation
  /// The reason why this layer refused, if it did.
  package var refusal: LMDBRefusal?
  /// The directory of the environment, or the file, where known.
  package var path: String?
  /// What went wrong and what to do about it, in words for people.
  package var message: String
  /// Whether a commit may have become durable all the same.
  ///
  /// True when the write of the meta page failed. The environment is then in panic and must be
  /// reopened, and only reading the file again shows whether the commit succeeded.
  package var commitOutcomeIsUnknown = false

  init(_ status: LMDBStatus, _ operation: LMDBOperation, path: String? = nil) {
    self.status = status
    self.operation = operation
    self.refusal = nil
    self.path = path
    self.message = Self.remedy(for: status, during: operation) ?? "LMDB failed."
  }

  /// Translates a failed system call into its meaning for an environment.
  init(_ error: SystemError, _ operation: LMDBOperation) {
    if error.code == .notRegularFile {
      let name = FileSystem.lastComponent(of: error.path ?? "")
      self.init(.notARegularFile(name), operation, path: error.path)
    } else {
      self.init(.system(error.code), operation, path: error.path)
    }
  }

  /// Runs system calls, and adds their purpose to the error if one fails.
  static func mapping<R: ~Copyable>(
    _ operation: LMDBOperation, _ calls: () throws(SystemError) -> R
  ) throws(LMDBError) -> R {
    do throws(SystemError) { return try calls() } catch { throw LMDBError(error, operation) }
  }

  init(_ refusal: LMDBRefusal, _ operation: LMDBOperation, path: String? = nil) {
    self.status = .refused
    self.operation = operation
    self.refusal = refusal
    self.path = path
    self.message = refusal.remedy
  }

  /// The same error with the path of its environment.
  func at(_ path: String) -> LMDBError {
    var located = self
    if located.path == nil { located.path = path }
    return located
  }
}

extension LMDBError: CustomStringConvertible {
  /// The operation, where, and its code. It stands behind ``message`` wherever both are shown.
  package var description: String {
    let place = path.map { " at \($0)" } ?? ""
    return "\(operation.rawValue)\(place): \(status)"
  }
}

extension LMDBError {
  private static func remedy(
    for status: LMDBStatus, during operation: LMDBOperation
  ) -> String? {
    switch status {
    case .mapFull:
      "The memory map is full. Grow it, or open the environment with a larger map size."
    case .readersFull:
      "All reader slots are taken by live processes, each of which keeps one or more. Close some of "
        + "them. For more slots, open with more readers once every process closed the environment: "
        + "while one has it open, the lock file keeps its size."
    case .panic:
      "An earlier write of a meta page, or an earlier change of the map's size, failed. Close the "
        + "environment wherever this process has it open, and open it again."
    case .versionMismatch:
      "Another version of LMDB wrote the file or has it open. Use one version in all processes."
    case .corrupted, .pageNotFound, .cursorFull, .pageFull:
      "The data file is damaged. Make a copy of the directory before any further write."
    case .invalid:
      "This is not an LMDB file, or it is damaged. Restore it from a copy."
    case .badTransaction:
      "An earlier call in this transaction failed, so it can only be aborted."
    case .transactionFull:
      "The transaction changed too many pages. Write less in one transaction."
    case .keyExists:
      "The key exists, or is not above the last key of a table that is being appended to."
    case .notFound where operation == .openTable:
      "The table does not exist, and an environment opened for reading cannot create it."
    default:
      status.system.flatMap { remedy(for: $0, during: operation) }
    }
  }

  private static func remedy(
    for code: SystemError.Code, during operation: LMDBOperation
  ) -> String? {
    switch code {
    case _ where code.isMissingRight:
      "Permission is denied. To read a directory that is not writable, open it without its lock file."
    case .notFound, .notDirectory, .tooManyLinks:
      "A file or directory of the ledger is missing, or is of another kind. Restore it from a "
        + "copy."
    case .inputOutput where operation == .commit:
      "The write failed, and the transaction was not committed. Check the disk."
    default:
      code.remedy
    }
  }
}

extension LMDBRefusal {
  /// What went wrong and how to fix it.
  package var remedy: String {
    switch self {
    case .closed:
      "The environment was closed. Open it again."
    case .forkedChild:
      "This process was forked from the one that opened the environment. Open it again after the fork."
    case .nestedWrite:
      "This thread is in a write transaction already. Finish it first, or write through it."
    case .insideTransaction:
      "This call would wait for a transaction of its own thread. End that transaction first."
    case .readOnly:
      "The environment was opened for reading. Open it with access readWrite."
    case .networkFileSystem(let type):
      "The directory is on a network file system (type 0x\(String(type, radix: 16))), where locks "
        + "and shared maps are not reliable. Use a local disk."
    case .truncatedFile(let expected, let actual):
      "The file has \(actual) bytes, but its meta pages record \(expected). Restore it from a copy."
    case .notAnLMDBFile:
      "This is not an LMDB file, or it is damaged. Restore it from a copy."
    case .notARegularFile(let name):
      "\(name) is not a regular file. Restore it from a copy."
    case .noDataFile:
      "The data file data.mdb is missing. Restore it from a copy."
    case .dataFileReplaced:
      "The data file was replaced while it was opened. Open it again."
    case .unsupportedFormatVersion(let version):
      "The file has LMDB data format \(version); this build reads format 1. Use the LMDB that wrote it."
    case .unsupportedPageSize(let size):
      "The file's meta page records the page size \(size), which is invalid. Restore it from a copy."
    case .implausibleMeta(let page, let what):
      "Meta page \(page) is damaged: \(what). Set the directory aside, and restore it from a copy."
    case .damagedPage(let page, let what):
      "Page \(page) of the data file is damaged: \(what). Set the directory aside, and restore it from a copy."
    case .processIDClash:
      "Another process with the same id, from another container, uses this environment. "
        + "Share one process namespace between the containers."
    case .optionsMismatch(let what):
      "The environment is open in this process with other options: \(what)."
    case .badKey(let what):
      "The key is invalid for the table: \(what)."
    case .unknownTable(let name):
      "Table \(name) was not named when the environment was opened."
    case .diskFull:
      "The disk is full. Nothing was committed; free some space and try again."
    }
  }
}
