package import LedgerSystem

extension LedgerError {
  /// Runs `body` and turns what it throws into an error of the ledger.
  package static func mapping<R>(_ body: () throws -> R) throws(LedgerError) -> R {
    do {
      return try body()
    } catch {
      throw mapping(error)
    }
  }

  /// Runs calls of the system and says what they were for if one fails.
  package static func system<R>(
    _ what: @autoclosure () -> String, _ body: () throws(SystemError) -> R
  ) throws(LedgerError) -> R {
    do throws(SystemError) {
      return try body()
    } catch {
      throw LedgerError(error, what())
    }
  }

  package static func mapping(_ error: any Error) -> LedgerError {
    switch error {
    case let error as LedgerError: error
    case let error as SystemError: LedgerError(error, "The system refused.")
    default:
      LedgerError(.internalInconsistency, "An unexpected error came up.", cause: error)
    }
  }

  package init(_ error: SystemError, _ what: String) {
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
}

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
}
