import LedgerLMDB
import LedgerSystem

extension LedgerError {
  /// Runs `body` and turns what it throws into an error of the ledger.
  static func mapping<R>(_ body: () throws -> R) throws(LedgerError) -> R {
    do {
      return try body()
    } catch {
      throw mapping(error)
    }
  }

  /// Runs calls of the system and says what they were for if one fails.
  static func system<R>(
    _ what: @autoclosure () -> String, _ body: () throws(SystemError) -> R
  ) throws(LedgerError) -> R {
    do throws(SystemError) {
      return try body()
    } catch {
      throw LedgerError(error, what())
    }
  }

  static func mapping(_ error: any Error) -> LedgerError {
    switch error {
    case let error as LedgerError: error
    case let error as LMDBError: LedgerError(error)
    case let error as SystemError: LedgerError(error, "The system refused.")
    default:
      LedgerError(.internalInconsistency, "An unexpected error came up.", cause: error)
    }
  }

  init(_ error: SystemError, _ what: String) {
    let code = Code(error)
    self.init(code, "\(what) \(Self.remedy(of: code, error))", cause: error)
  }

  /// What to do about a refusal of the system.
  private static func remedy(of code: Code, _ error: SystemError) -> String {
    switch (code, error.code) {
    case (.permissionDenied, _):
      "Give this process's user the right to read and write there, or run as another user; only reading needs less (inspect)."
    case (.diskFull, _): "Free some space, or raise the limit, and try again; nothing is lost."
    case (.closed, _): "Open or unfreeze the ledger first."
    case (.corrupt, _):
      "What is called \(error.path ?? "so") is not a regular file. Restore it from a copy."
    case (_, .tooManyOpenFiles), (_, .tooManyFilesInSystem):
      "Too many files are open. Close some, or raise the limit (ulimit -n), and try again."
    case (_, .noMemory):
      "There is not enough memory or address space. Free some, or raise the limit (ulimit -v), and try again."
    default: "The cause says why."
    }
  }

  init(_ error: LMDBError) {
    self.init(Code(error), error.message, cause: error)
  }
}

// A ledger's environment is opened only after its CURRENT file named the generation. So whatever is
// missing or unreadable there is damage, and never "not a ledger", upon which a program may well make
// a new one.
extension LedgerError.Code {
  /// What a refusal of the system means for a ledger.
  init(_ error: SystemError) {
    self =
      switch error.code {
      case .permissionDenied, .notPermitted, .readOnlyFileSystem: .permissionDenied
      case .noSpace, .quotaExceeded, .fileTooLarge: .diskFull
      case .notRegularFile: .corrupt
      case .closed: .closed
      default: .ioFailure
      }
  }

  /// What a failure of LMDB, or a refusal of the layer around it, means for a ledger.
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

  private init(_ status: LMDBStatus) {
    self =
      switch status {
      case .mapFull: .ledgerFull
      case .readersFull: .tooManyReaders
      case .corrupted, .pageNotFound, .cursorFull, .pageFull, .invalid, .incompatible: .corrupt
      // Nothing is looked for that every ledger does not have, and events are only added at the end.
      case .notFound, .keyExists, .badValueSize: .corrupt
      case .noSuchFile, .notDirectory, .tooManyLinks: .corrupt
      case .versionMismatch: .incompatibleFormat
      case .accessDenied, .notPermitted, .readOnlyFileSystem: .permissionDenied
      case .noSpace, .fileTooLarge, .quotaExceeded: .diskFull
      case .badTransaction, .transactionFull, .tablesFull, .badTable, .badReaderSlot:
        .internalInconsistency
      default: .ioFailure
      }
  }
}
