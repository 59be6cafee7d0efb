/// A message of PostgreSQL's protocol, as it is sent.
struct Message {
  /// The letter of its kind; `nil` for the first message of a client, which has none.
  let kind: UInt8?
  let bytes: [UInt8]

  /// The kind of message that ends a round trip of a client.
  static let sync = UInt8(ascii: "S")
  /// The kind of message by which the server ends its answer to a round trip.
  static let ready = UInt8(ascii: "Z")

  /// The meaning of a message for the text of a round trip.
  enum Content {
    /// A statement; one with a name is kept by the server, and runs later.
    case statement(name: [UInt8], text: [UInt8])
    /// The parameters of the statement with a name.
    case parameters(name: [UInt8])
    case other
  }

  var content: Content {
    // Behind the letter and the length: two texts that end with a zero.
    let fields = bytes.dropFirst(5).split(
      separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
    return switch kind {
    case UInt8(ascii: "P"): .statement(name: Array(fields[0]), text: Array(fields[1]))
    case UInt8(ascii: "B"): .parameters(name: Array(fields[1]))
    default: .other
    }
  }
}

/// The statements that a server keeps for one connection.
struct KeptStatements {
  private var texts: [[UInt8]: [UInt8]] = [:]

  /// Returns the texts of the statements that messages run, one on each line.
  mutating func text(of messages: [Message]) -> String {
    var lines: [[UInt8]] = []
    for message in messages {
      switch message.content {
      case .statement(let name, let text):
        if name.isEmpty { lines.append(text) } else { texts[name] = text }
      case .parameters(let name):
        if let text = texts[name] { lines.append(text) }
      case .other: break
      }
    }
    return lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
  }
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
  /// The texts of the statements that it runs.
  package let text: String
  /// The number of statements that the server has to parse.
  package let parsedCount: Int
  let bytes: [UInt8]

  init(_ messages: [Message], _ kept: inout KeptStatements) {
    bytes = messages.flatMap(\.bytes)
    parsedCount = messages.count { if case .statement = $0.content { true } else { false } }
    text = kept.text(of: messages)
  }

  /// Whether it appends events.
  package var appends: Bool { text.contains("WITH moved AS") }

  /// Whether it tells others of commits, or asks to be told.
  package var isAboutNews: Bool { text.contains("pg_notify") || text.contains("LISTEN") }

  /// Whether it raises the epoch of a ledger.
  package var raisesEpoch: Bool { text.contains("SET epoch = l.epoch + 1") }
}
