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
    let code: Code =
      switch error.code {
      case .permissionDenied, .notPermitted, .readOnlyFileSystem: .permissionDenied
      case .noSpace, .quotaExceeded, .fileTooLarge: .diskFull
      case .closed: .closed
      default: .ioFailure
      }
    self.init(code, "\(what) \(Self.remedy(of: code))", cause: error)
  }

  /// What to do about a refusal of the system.
  private static func remedy(of code: Code) -> String {
    switch code {
    case .permissionDenied:
      "Give this process's user the right to read and write there, or run as another user; only reading needs less (inspect)."
    case .diskFull: "Free some space, or raise the limit, and try again; nothing is lost."
    case .closed: "Open or unfreeze the ledger first."
    default: "The cause says why."
    }
  }

  init(_ error: LMDBError) {
    self.init(Self.code(of: error), error.message, cause: error)
  }

  private static func code(of error: LMDBError) -> Code {
    switch error.refusal {
    case .closed: return .closed
    case .forkedChild: return .forkedProcess
    case .networkFileSystem: return .networkFileSystem
    case .truncatedFile, .implausibleMeta: return .corrupt
    case .notAnLMDBFile: return .notALedger
    case .unsupportedFormatVersion, .unsupportedPageSize: return .incompatibleFormat
    case .diskFull: return .diskFull
    case .nestedWrite, .insideTransaction, .readOnly, .badKey, .unknownTable, .targetExists:
      return .internalInconsistency
    case .processIDClash, .optionsMismatch: return .ioFailure
    case nil: break
    }
    switch error.status {
    case .mapFull: return .ledgerFull
    case .corrupted, .pageNotFound, .cursorFull, .pageFull: return .corrupt
    case .invalid, .noSuchFile: return .notALedger
    case .versionMismatch: return .incompatibleFormat
    case .accessDenied, .notPermitted, .readOnlyFileSystem: return .permissionDenied
    case .noSpace, .fileTooLarge: return .diskFull
    default: return .ioFailure
    }
  }
}
