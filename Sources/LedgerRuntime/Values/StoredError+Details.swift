#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension StoredError {
  /// A human-readable reason for the error, if it provided one.
  public var failureReason: String? { details?.failureReason }

  /// A suggestion for the user, if the error provided one.
  public var recoverySuggestion: String? { details?.recoverySuggestion }

  /// The errors that led to this one, at most four, each with its own underlying errors.
  public var underlyingErrors: [StoredError] {
    (details?.underlyingErrors ?? []).map(\.storedError)
  }

  private var details: ErrorDetails? { ErrorDetails(of: self) }
}

/// The details of an error besides domain, code and message, as the payload of its stored form.
///
/// The bytes of a stored error end with its payload and have no room for further fields that existing builds
/// would ignore. A payload with a tag of the library needs no such room: these builds show domain, code and
/// message, and keep the payload as it is.
struct ErrorDetails: Sendable, Hashable, Codable, PayloadTagged {
  /// The type tag, which no Swift type has by default.
  static let payloadTypeTag = "promise-ledger.error-details"

  var failureReason: String?
  var recoverySuggestion: String?
  var underlyingErrors: [UnderlyingError]?

  /// The details as a payload, without underlying errors if it would be too large; `nil` if there are no
  /// details.
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
  /// The maximum size of a payload to decode, wherever it comes from: each level of errors is decoded
  /// separately.
  private static let maximumByteCount = 256 << 10
  /// The maximum number of errors in a chain below the first.
  static let maximumDepth = 4
  /// The maximum number of underlying errors that are kept for one error.
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

  /// A stored error among the details of another: together they are one human-readable JSON text.
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
