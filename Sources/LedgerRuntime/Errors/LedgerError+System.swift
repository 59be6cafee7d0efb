package import LedgerSystem

extension LedgerError {
  /// Runs `body` and maps the errors that it throws to errors of the ledger.
  package static func mapping<R>(_ body: () throws -> R) throws(LedgerError) -> R {
    do {
      return try body()
    } catch {
      throw mapping(error)
    }
  }

  /// Runs system calls, and describes their purpose if one fails.
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
    case let error as SystemError: LedgerError(error, "A system call failed.")
    default:
      LedgerError(.internalInconsistency, "An unexpected error occurred.", cause: error)
    }
  }

  package init(_ error: SystemError, _ what: String) {
    self.init(Code(error.code), "\(what) \(Self.remedy(of: error))", cause: error)
  }

  /// The remedy for a system error.
  private static func remedy(of error: SystemError) -> String {
    switch error.code {
    case let code where code.isMissingRight:
      "Give this process's user the right to read and write there, or run as another user. To only read, Ledger.inspect(at:locking:) needs fewer rights."
    case .closed: "Open or unfreeze the ledger first."
    case .notRegularFile:
      "\(error.path ?? "The file") is not a regular file. Restore it from a copy."
    default: error.code.remedy ?? "The cause says why."
    }
  }
}

extension LedgerError.Code {
  /// The code that a system error means for a ledger.
  package init(_ code: SystemError.Code) {
    self =
      switch code {
      case _ where code.isMissingRight: .permissionDenied
      case _ where code.isFullDisk: .diskFull
      case .notRegularFile: .corrupt
      case .closed: .closed
      default: .ioFailure
      }
  }
}
