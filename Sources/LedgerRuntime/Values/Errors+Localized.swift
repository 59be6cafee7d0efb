public import LedgerPromises

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension StoredError: LocalizedError {
  /// The message.
  public var errorDescription: String? { message }
}

extension PromiseError: LocalizedError {
  /// The message.
  public var errorDescription: String? { message }
}

extension LedgerError: LocalizedError {
  /// The message.
  public var errorDescription: String? { message }
}
