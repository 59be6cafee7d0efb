/// A message of PostgreSQL's protocol, as it is sent.
struct Message {
  /// The letter of its kind; `nil` for the first message of a client, which has none.
  let kind: UInt8?
  let bytes: [UInt8]

  /// The kind of message that ends a round trip of a client.
  static let sync = UInt8(ascii: "S")
  /// The kind of message by which the server ends its answer to a round trip.
  static let ready = UInt8(ascii: "Z")
  /// The kind of message that contains a statement.
  static let parse = UInt8(ascii: "P")
}

/// The messages in the bytes of a connection.
struct MessageParser {
  private var buffer: [UInt8] = []
  private var isFirst: Bool

  /// - Parameter isClient: Whether the bytes come from a client.
  init(ofClient isClient: Bool) { isFirst = isClient }

  mutating func add(_ bytes: [UInt8]) { buffer += bytes }

  /// Takes the next whole message.
  mutating func next() -> Message? {
    let start = isFirst ? 0 : 1
    guard buffer.count >= start + 4 else { return nil }
    let length = buffer[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    guard buffer.count >= start + length else { return nil }
    let bytes = Array(buffer.prefix(start + length))
    buffer.removeFirst(start + length)
    defer { isFirst = false }
    return Message(kind: isFirst ? nil : bytes[0], bytes: bytes)
  }
}

/// What a client sends in one round trip.
package struct RoundTrip: Sendable {
  /// The texts of its statements, with the protocol's bytes between them.
  package let text: String
  let bytes: [UInt8]

  init(_ messages: [Message]) {
    bytes = messages.flatMap(\.bytes)
    text = String(
      decoding: messages.filter { $0.kind == Message.parse }.flatMap(\.bytes), as: UTF8.self)
  }

  /// Whether it appends events.
  package var appends: Bool { text.contains("WITH moved AS") }

  /// Whether it tells others of commits, or asks to be told.
  package var isAboutNews: Bool { text.contains("pg_notify") || text.contains("LISTEN") }

  /// Whether it raises the epoch of a ledger.
  package var raisesEpoch: Bool { text.contains("SET epoch = l.epoch + 1") }
}
