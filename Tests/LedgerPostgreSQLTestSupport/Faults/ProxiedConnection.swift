import LedgerSystem
import Synchronization

/// One connection of a client through a proxy, with its own connection to the server.
final class ProxiedConnection: Sendable {
  private let client: LocalSocket
  private let server: LocalSocket
  /// Whether the answer to the current round trip is lost.
  private let losesAnswer = Atomic<Bool>(false)
  /// Signalled when the server has answered a round trip whose answer is lost.
  private let answered = WakeSemaphore()
  /// The time for the server's answer to a round trip whose answer is lost.
  private static let patience = Duration.seconds(60)

  init(_ client: LocalSocket, _ server: LocalSocket) {
    self.client = client
    self.server = server
  }

  func cut() {
    client.shutDown()
    server.shutDown()
  }

  /// Passes on what the server sends, until one end closes.
  func passAnswers() {
    var parser = MessageParser(ofClient: false)
    while true {
      let bytes = server.read()
      if bytes.isEmpty { break }
      guard losesAnswer.load(ordering: .acquiring) else {
        client.write(bytes)
        continue
      }
      parser.add(bytes)
      while let message = parser.next() {
        if message.kind == Message.ready { answered.signal() }
      }
    }
    answered.signal()
    client.shutDown()
  }

  /// Passes on what the client sends, by whole round trips, until one end closes or a fate ends the connection.
  func passRoundTrips(
    fate: (RoundTrip) -> ServerProxy.Fate, late: (@escaping @Sendable () -> Void) -> Void
  ) {
    var parser = MessageParser(ofClient: true)
    var messages: [Message] = []
    var kept = KeptStatements()
    while true {
      let bytes = client.read()
      if bytes.isEmpty { return server.shutDown() }
      parser.add(bytes)
      while let message = parser.next() {
        messages.append(message)
        guard message.kind == Message.sync else {
          // The beginning and the end of a connection are no round trips.
          if message.kind == nil || message.kind == UInt8(ascii: "X") { pass(&messages) }
          continue
        }
        let trip = RoundTrip(messages, &kept)
        switch fate(trip) {
        case .passes: pass(&messages)
        case .isLost: return cut()
        case .answerIsLost: return runWithoutAnswer(trip)
        case .isLate:
          losesAnswer.store(true, ordering: .releasing)
          client.shutDown()
          return late { self.runWithoutAnswer(trip) }
        }
      }
    }
  }

  private func runWithoutAnswer(_ trip: RoundTrip) {
    losesAnswer.store(true, ordering: .releasing)
    server.write(trip.bytes)
    _ = answered.wait(timeout: Self.patience)
    cut()
  }

  private func pass(_ messages: inout [Message]) {
    server.write(messages.flatMap(\.bytes))
    messages = []
  }
}
