#if Serve
  import FlyingSocks
  import Foundation

  /// A connection to the server, for one request and its answer.
  struct Connection: Sendable {
    /// How long a client may take to send its request, or to take a piece of the answer.
    static let patience = Duration.seconds(10)
    private static let pieceSize = 1 << 16

    private let socket: AsyncSocket

    init(_ socket: AsyncSocket) { self.socket = socket }

    /// - Throws: ``HTTPAnswer/Refusal``, or an error after which there is nobody to answer to.
    func request() async throws -> HTTPRequest {
      try await Self.within(Self.patience) {
        var received: [UInt8] = []
        let end = Array("\r\n\r\n".utf8)
        var searched = 0
        while true {
          if let found = received.firstRange(of: end, from: searched) {
            return try await withBody(of: received, after: found)
          }
          guard received.count < HTTPRequest.largestHead else {
            throw HTTPAnswer.Refusal.tooManyFields
          }
          searched = max(0, received.count - end.count + 1)
          received += try await socket.read(atMost: 4_096)
        }
      }
    }

    private func withBody(of received: [UInt8], after end: Range<Int>) async throws -> HTTPRequest {
      var request = try HTTPRequest(head: Array(received[..<end.lowerBound]))
      request.body = Array(received[end.upperBound...])
      while request.body.count < request.bodyByteCount {
        request.body += try await socket.read(atMost: 4_096)
      }
      // A second request at once.
      guard request.body.count == request.bodyByteCount else { throw HTTPAnswer.Refusal.malformed }
      return request
    }

    func write(_ bytes: [UInt8]) async throws {
      for start in stride(from: 0, to: bytes.count, by: Self.pieceSize) {
        let piece = Data(bytes[start..<min(start + Self.pieceSize, bytes.count)])
        try await Self.within(Self.patience) { try await socket.write(piece) }
      }
    }

    /// Writes a piece of a body that comes in chunks; an empty one ends it.
    func write(chunk bytes: [UInt8]) async throws {
      let size = Array("\(String(bytes.count, radix: 16))\r\n".utf8)
      try await write(size + bytes + Array("\r\n".utf8))
    }

    /// Runs `body` until it ends, or until the client is gone.
    func whileConnected(_ body: @escaping @Sendable () async throws -> Void) async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await body() }
        // A client has nothing more to say, so this ends when it closes the connection.
        group.addTask { _ = try await socket.read(atMost: 1) }
        defer { group.cancelAll() }
        try await group.next()
      }
    }

    func close() { try? socket.close() }

    struct TimedOut: Error {}

    private static func within<Value: Sendable>(
      _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
      try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await body() }
        group.addTask {
          try await Task.sleep(for: limit)
          return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let value = first else { throw TimedOut() }
        return value
      }
    }
  }

  extension [UInt8] {
    /// Where a pattern is first, at an index or later.
    fileprivate func firstRange(of pattern: [UInt8], from start: Int) -> Range<Int>? {
      guard count >= pattern.count else { return nil }
      for index in start...Swift.max(start, count - pattern.count)
      where self[index...].starts(with: pattern) {
        return index..<(index + pattern.count)
      }
      return nil
    }
  }
#endif
