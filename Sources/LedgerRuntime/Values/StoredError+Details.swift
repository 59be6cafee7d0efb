#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension StoredError {
  /// Why it happened, for people, if the error said so.
  public var failureReason: String? { details?.failureReason }

  /// What a person may do about it, if the error said so.
  public var recoverySuggestion: String? { details?.recoverySuggestion }

  /// The errors that led to this one, at most four, each with its own.
  public var underlyingErrors: [StoredError] {
    (details?.underlyingErrors ?? []).map(\.storedError)
  }

  private var details: ErrorDetails? { ErrorDetails(of: self) }
}

/// What an error says beside domain, code and message, as the payload of its stored form.
///
/// The bytes of a stored error end with its payload and have no room for more fields that builds of
/// today would pass over. A payload with a tag of the library's own needs none: such a build shows
/// domain, code and message, and keeps the payload as it is.
struct ErrorDetails: Sendable, Hashable, Codable, PayloadTagged {
  /// No type of Swift has such a name by default.
  static let payloadTypeTag = "promise-ledger.error-details"

  var failureReason: String?
  var recoverySuggestion: String?
  var underlyingErrors: [UnderlyingError]?

  /// The details as a payload, without underlying errors if it would be too large; `nil` if there
  /// are none.
  var payload: StoredError.Payload? {
    let codec = PayloadCodec<ErrorDetails>.json()
    guard self != ErrorDetails(), let bytes = try? codec.encode(self) else { return nil }
    guard bytes.count > Self.maximumByteCount else {
      return StoredError.Payload(typeTag: codec.typeTag, bytes: bytes)
    }
    var details = self
    details.underlyingErrors = nil
    return details.underlyingErrors == underlyingErrors ? nil : details.payload
  }
}

extension ErrorDetails {
  /// What is larger is not decoded, wherever it comes from: each level of errors is decoded anew.
  private static let maximumByteCount = 256 << 10
  /// The most errors in a chain below the first.
  static let maximumDepth = 4
  /// The most errors that are kept of those that led to one.
  static let maximumWidth = 4
  private static let maximumTextByteCount = 2_048
  private static let maximumPayloadByteCount = 4_096

  init?(of error: StoredError) {
    guard let payload = error.payload, payload.bytes.count <= Self.maximumByteCount,
      let details = error.decode(as: ErrorDetails.self)
    else { return nil }
    self = details
  }

  static func cut(_ text: String) -> String { text.cut(toByteCount: maximumTextByteCount) }

  /// A stored error among the details of another: all of them are one JSON that people can read.
  struct UnderlyingError: Sendable, Hashable, Codable {
    private struct Payload: Sendable, Hashable, Codable {
      let typeTag: String
      let bytes: Data
    }

    private let domain: String
    private let code: Int64?
    private let message: String
    private let details: ErrorDetails?
    private let payload: Payload?

    init(_ error: StoredError) {
      domain = error.domain
      code = error.code
      message = ErrorDetails.cut(error.message)
      details = ErrorDetails(of: error)
      payload = error.payload.flatMap { [details] payload in
        guard details == nil, payload.bytes.count <= maximumPayloadByteCount else { return nil }
        return Payload(typeTag: payload.typeTag, bytes: Data(payload.bytes))
      }
    }

    var storedError: StoredError {
      StoredError(
        domain: domain, code: code, message: message,
        payload: payload.map {
          StoredError.Payload(typeTag: $0.typeTag, bytes: Array($0.bytes))
        } ?? details?.payload)
    }
  }
}
