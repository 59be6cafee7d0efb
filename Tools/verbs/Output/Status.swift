package import LedgerRuntime

/// The meaning of the command's exit code.
package enum Status: Int32 {
  case fine = 0
  /// There are findings that need attention.
  case findings = 1
  /// The command line is wrong.
  case usage = 2
  /// The ledger or the requested item does not exist, or no longer exists, or several have its name.
  case notFound = 3
  /// Another process is in the way, or the store cannot be reached.
  case busy = 4
  /// The ledger is damaged, or was replaced.
  case corrupt = 5
  /// The ledger was written by a newer version.
  case incompatible = 6
  /// The system refused to read or write: the `EX_IOERR` of sysexits(3).
  case systemFailure = 74

  package init(_ code: LedgerError.Code) {
    self =
      switch code {
      case .unsupportedEvent: .findings
      case .invalidArgument, .alreadyExists, .payloadTooLarge: .usage
      case .notALedger, .notFound, .handlerNotFound, .recordRemoved, .eventsDeleted: .notFound
      case .writerStalled, .compactionBusy, .tooManyReaders, .unavailable: .busy
      case .corrupt, .historyChanged: .corrupt
      case .incompatibleFormat: .incompatible
      default: .systemFailure
      }
  }
}

extension Status {
  /// A status that ends the command, and its message.
  package struct Failure: Error {
    let status: Status
    let message: String?
    /// Whether several things have the name that was given.
    let isAmbiguity: Bool

    package init(_ status: Status, _ message: String? = nil, isAmbiguity: Bool = false) {
      self.status = status
      self.message = message
      self.isAmbiguity = isAmbiguity
    }

    /// Several things have the name that was given.
    static func ambiguity(_ message: String) -> Failure {
      Failure(.notFound, message, isAmbiguity: true)
    }

    /// The same failure, which left out a part of the output.
    var leavingOutputIncomplete: Failure {
      Failure(status, message.map { "\($0) The output is incomplete." })
    }

    /// Reading could not continue from its position.
    static let compactedMeanwhile = Failure(
      .busy, "The ledger was compacted while it was read. Try again.")

    /// The meaning of a ledger error for the command.
    init(_ error: LedgerError) {
      self.init(Status(error.code), error.description)
    }

    /// The meaning of an error for the command; `nil` if it is not ours, but the argument parser's.
    init?(_ error: any Error) {
      switch error {
      case let failure as Failure: self = failure
      case is StandardOutput.Closed: self.init(.fine)
      case let error as StandardOutput.Failure: self.init(.systemFailure, error.description)
      case let error as LedgerError: self.init(error)
      default: return nil
      }
    }
  }
}
