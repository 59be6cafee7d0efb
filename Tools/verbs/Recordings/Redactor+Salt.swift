import LedgerRuntime

extension Redactor {
  /// Bytes from the generator of the system. Nothing keeps them.
  static func randomSalt() -> [UInt8] {
    (0..<saltByteCount).map { _ in UInt8.random(in: 0...(.max)) }
  }
}
