import LedgerBytes

/// An error in stored form: data that another process, or a later version, can display.
///
/// `localizedDescription` is its ``message``.
public struct StoredError: Error, Sendable, Hashable, Codable {
  /// The source of the error: a domain, or the name of a type.
  public let domain: String
  /// The number of the error in its domain, if it has one.
  public let code: Int64?
  /// A human-readable description.
  public let message: String
  /// The encoded error itself, so that a program can determine the failure.
  public let payload: Payload?

  /// An encoded value with the name of its type.
  public struct Payload: Sendable, Hashable, Codable {
    /// The name of the type and its encoding.
    public let typeTag: String
    /// The encoded value.
    public let bytes: [UInt8]

    /// Creates a payload from an encoded value.
    public init(typeTag: String, bytes: [UInt8]) {
      self.typeTag = typeTag
      self.bytes = bytes
    }
  }

  /// Creates an error from its parts.
  ///
  /// - Parameters:
  ///   - domain: At most 256 bytes of UTF-8; longer text is truncated.
  ///   - code: The number in the domain.
  ///   - message: A human-readable description.
  ///   - payload: Further data for programs.
  public init(domain: String, code: Int64? = nil, message: String, payload: Payload? = nil) {
    self.domain = domain.cut(toByteCount: TextLimit.errorDomain.maximumByteCount)
    self.code = code
    self.message = message
    self.payload = payload
  }

  /// Decodes the parts and truncates those that are too long, like ``init(domain:code:message:payload:)``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      domain: try container.decode(String.self, forKey: .domain),
      code: try container.decodeIfPresent(Int64.self, forKey: .code),
      message: try container.decode(String.self, forKey: .message),
      payload: try container.decodeIfPresent(Payload.self, forKey: .payload))
  }

  private enum CodingKeys: CodingKey {
    case domain, code, message, payload
  }
}

extension StoredError: CustomStringConvertible {
  /// Domain, code and message in one line.
  public var description: String {
    "\(domain)\(code.map { " \($0)" } ?? ""): \(message)"
  }
}

// MARK: - Encoding

extension StoredError {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let code = Flags(rawValue: 1)
    static let payload = Flags(rawValue: 2)
  }

  /// The bytes that an event carries; see the article *File format*.
  package var encoded: [UInt8] {
    var flags: Flags = []
    if code != nil { flags.insert(.code) }
    if payload != nil { flags.insert(.payload) }
    var bytes: [UInt8] = [flags.rawValue, 0, 0, 0, 0, 0, 0, 0]
    if let code { bytes.appendLittleEndian(code) }
    bytes.appendText(domain)
    bytes.appendLittleEndian(UInt32(clamping: message.utf8.count))
    bytes.append(contentsOf: message.utf8)
    if let payload {
      bytes.appendText(payload.typeTag)
      bytes.append(contentsOf: payload.bytes)
    }
    return bytes
  }

  /// Decodes the content of a rejection, from ``PromiseResolved`` or its attachment.
  ///
  /// - Throws: ``LedgerError/Code/corrupt`` if the bytes are not a valid stored error.
  public init(decoding bytes: [UInt8]) throws(LedgerError) {
    do throws(PayloadDamage) {
      var reader = PayloadReader(bytes)
      let flags = Flags(rawValue: try reader.integer())
      try reader.skip(7)
      let code: Int64? = flags.contains(.code) ? try reader.integer() : nil
      let domain = try reader.text()
      let message = try reader.utf8(byteCount: Int(try reader.integer(UInt32.self)))
      var payload: Payload?
      if flags.contains(.payload) {
        payload = Payload(typeTag: try reader.text(), bytes: reader.rest())
      }
      try reader.finish()
      self.init(domain: domain, code: code, message: message, payload: payload)
    } catch {
      throw LedgerError(.corrupt, "A stored error is damaged: \(error.what).")
    }
  }
}
