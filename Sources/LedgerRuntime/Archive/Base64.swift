#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Base64 with padding (RFC 4648, section 4), in its one canonical form.
enum Base64 {
  /// Appends the encoding of some bytes.
  static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
    text += Data(bytes).base64EncodedData()
  }

  /// Decodes a text; `nil` if it is not exactly in the form that ``append(_:to:)`` writes.
  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    // Foundation accepts nonzero bits before the padding, so that several texts would decode to the same
    // bytes.
    let text = Data(text)
    guard let bytes = Data(base64Encoded: text), bytes.base64EncodedData() == text else {
      return nil
    }
    return [UInt8](bytes)
  }
}
