import Foundation
import LedgerPromises

/// The facts of an error that a person must see, as provided by its type.
struct ErrorFacts {
  private(set) var domain: String
  private(set) var code: Int64?
  private(set) var message: String
  private(set) var details = ErrorDetails()

  /// - Parameter depth: The number of errors above this one in the chain of underlying errors.
  init(_ error: any Error, depth: Int) {
    domain = String(describing: type(of: error))
    message = String(describing: error)
    switch error {
    case is DecodingError, is EncodingError:
      // Their descriptions state the location of the error, and their localized texts do not.
      break
    case let error as LedgerError:
      takeUnderlying(error.cause.map { [$0] } ?? [], depth: depth)
    case let error as PromiseError:
      message = error.message
      takeUnderlying((error.cause.map { [$0] } ?? []) + error.attachedErrors, depth: depth)
    case _ where error is any CustomNSError || type(of: error) is NSError.Type:
      // On Linux a cast to NSError succeeds for every error and makes up a domain.
      take(error as NSError, depth: depth)
      takeName(of: error)
    case let error as any LocalizedError:
      message = error.errorDescription ?? message
      details.failureReason = error.failureReason.map(ErrorDetails.cut)
      details.recoverySuggestion = error.recoverySuggestion.map(ErrorDetails.cut)
    default: break
    }
  }

  private mutating func take(_ error: NSError, depth: Int) {
    domain = error.domain
    code = Int64(error.code)
    message = error.localizedDescription
    details.failureReason = error.localizedFailureReason.map(ErrorDetails.cut)
    details.recoverySuggestion = error.localizedRecoverySuggestion.map(ErrorDetails.cut)
    let first = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map { [$0] } ?? []
    let others = error.userInfo["NSMultipleUnderlyingErrorsKey"] as? [any Error] ?? []
    takeUnderlying(first + others, depth: depth)
  }

  private mutating func takeUnderlying(_ errors: [any Error], depth: Int) {
    guard depth < ErrorDetails.maximumDepth, !errors.isEmpty else { return }
    details.underlyingErrors = errors.prefix(ErrorDetails.maximumWidth).map {
      ErrorDetails.UnderlyingError(StoredError($0, depth: depth + 1))
    }
  }

  /// Leaves out a domain and a number that no developer chose: those that Foundation makes up for a
  /// `CustomNSError` that specifies neither.
  private mutating func takeName(of error: any Error) {
    let type = type(of: error)
    guard error is any CustomNSError, domain == String(reflecting: type) else { return }
    domain = String(describing: type)
    // The number of an enum case is its index in the source, and that of any other type is 1.
    let isCase = Mirror(reflecting: error).displayStyle == .enum
    if isCase || code == 1, !(error is any RawRepresentable) { code = nil }
  }
}
