import LedgerLMDB
import LedgerSystem

extension LedgerError {
  /// Runs `body` and maps the errors that it throws, including those of LMDB, to errors of the ledger.
  static func mappingAll<R>(_ body: () throws -> R) throws(LedgerError) -> R {
    do {
      return try body()
    } catch {
      throw mappingAll(error)
    }
  }

  // The cast is to one type and not to a protocol: in a forked child, that could wait forever for a lock of
  // the Swift runtime that another thread of its parent held.
  static func mappingAll(_ error: any Error) -> LedgerError {
    (error as? LMDBError).map { LedgerError($0) } ?? mapping(error)
  }

  init(_ error: LMDBError) {
    self.init(Code(error), error.message, cause: error)
  }

  /// Whether LMDB refuses all work until every handle of this process is closed.
  var isPanic: Bool { (cause as? LMDBError)?.status == .panic }
}

// A ledger's environment is opened only after its CURRENT file named the generation. So anything missing or
// unreadable there is damage, and never "not a ledger", to which a program may well respond by making a new
// one.
extension LedgerError.Code {
  /// The code that a failure of LMDB, or of the layer around it, means for a ledger.
  init(_ error: LMDBError) {
    self = error.refusal.map { Self($0) } ?? Self(error.status)
  }

  private init(_ refusal: LMDBRefusal) {
    self =
      switch refusal {
      case .closed: .closed
      case .forkedChild: .forkedProcess
      case .networkFileSystem: .networkFileSystem
      case .truncatedFile, .implausibleMeta, .damagedPage, .unsupportedPageSize: .corrupt
      case .notAnLMDBFile, .notARegularFile, .noDataFile: .corrupt
      case .unsupportedFormatVersion: .incompatibleFormat
      case .diskFull: .diskFull
      case .nestedWrite, .insideTransaction, .readOnly, .badKey, .unknownTable:
        .internalInconsistency
      case .processIDClash, .optionsMismatch, .dataFileReplaced: .ioFailure
      }
  }

  private init(opening code: SystemError.Code) {
    self = [.notFound, .notDirectory, .tooManyLinks].contains(code) ? .corrupt : Self(code)
  }

  private init(_ status: LMDBStatus) {
    self =
      switch status {
      case .mapFull: .ledgerFull
      case .readersFull: .tooManyReaders
      case .corrupted, .pageNotFound, .cursorFull, .pageFull, .invalid, .incompatible: .corrupt
      // Lookups are only for entries that every ledger has, and events are only added at the end.
      case .notFound, .keyExists, .badValueSize: .corrupt
      case .versionMismatch: .incompatibleFormat
      case .badTransaction, .transactionFull, .tablesFull, .badTable, .badReaderSlot:
        .internalInconsistency
      default: status.system.map { Self(opening: $0) } ?? .ioFailure
      }
  }
}
