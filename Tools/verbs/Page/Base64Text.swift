import Foundation

/// Bytes in the usual alphabet of base64, with padding.
struct Base64Text: CustomStringConvertible {
  let description: String

  init(_ bytes: [UInt8]) { description = Data(bytes).base64EncodedString() }
}
