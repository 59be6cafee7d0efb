import LedgerSystem
import Synchronization

/// Stands between clients and a server, and loses what a test tells it to lose.
///
/// It never changes, repeats or invents anything: it cuts connections, and it delivers late.
package final class ServerProxy: Sendable {
  /// What happens to one round trip.
  package enum Fate: Sendable, Hashable, CaseIterable {
    case passes
    /// The connection is lost before the server has the statements.
    case isLost
    /// The connection is lost before the client has the answer; the server has run the statements.
    case answerIsLost
    /// The connection is lost, and the server receives the statements at the call of ``ServerProxy/release()``,
    /// as from a network that lost only the way back.
    case isLate
  }

  /// Chooses the fate of each round trip.
  package typealias Plan = @Sendable (RoundTrip) -> Fate

  private let serverPath: String
  private let listener: LocalSocket
  private let contents: Mutex<Contents>

  private struct Contents {
    var plan: Plan = { _ in .passes }
    /// Delivers each late round trip.
    var late: [@Sendable () -> Void] = []
    var open: [ObjectIdentifier: ProxiedConnection] = [:]
    var isClosed = false
  }

  /// - Parameters:
  ///   - path: The path at which clients connect.
  ///   - serverPath: The path of the server's socket.
  init(at path: String, to serverPath: String) throws {
    self.serverPath = serverPath
    listener = try LocalSocket.listening(at: path)
    contents = Mutex(Contents())
    _ = try SystemThread.start(name: "proxy") { [listener, weak self] in
      while let client = listener.accept() {
        guard let self else { return client.shutDown() }
        self.serve(client)
      }
    }
  }

  deinit { listener.shutDown() }

  /// Chooses the fates of round trips from now on.
  package func setPlan(_ plan: @escaping Plan) { contents.withLock { $0.plan = plan } }

  /// Delivers what is late, and waits until the server has answered it or has closed the connection.
  package func release() {
    let late = contents.withLock { contents in
      defer { contents.late = [] }
      return contents.late
    }
    for deliver in late { deliver() }
  }

  /// Cuts all connections.
  package func cutAll() {
    for connection in contents.withLock({ Array($0.open.values) }) { connection.cut() }
  }

  /// Refuses new connections from now on, and cuts the others.
  package func close() {
    contents.withLock { $0.isClosed = true }
    listener.shutDown()
    cutAll()
  }

  // MARK: Connections

  private func serve(_ client: LocalSocket) {
    guard let server = try? LocalSocket.connected(to: serverPath) else { return client.shutDown() }
    let connection = ProxiedConnection(client, server)
    let isClosed = contents.withLock { contents in
      contents.open[ObjectIdentifier(connection)] = connection
      return contents.isClosed
    }
    if isClosed { connection.cut() }
    do {
      _ = try SystemThread.start(name: "proxy-answers") { connection.passAnswers() }
      _ = try SystemThread.start(name: "proxy-requests") { [weak self] in
        connection.passRoundTrips { trip in
          self?.fate(of: trip) ?? .isLost
        } late: { deliver in
          self?.contents.withLock { $0.late.append(deliver) }
        }
        self?.contents.withLock { $0.open[ObjectIdentifier(connection)] = nil }
      }
    } catch {
      connection.cut()
    }
  }

  private func fate(of trip: RoundTrip) -> Fate {
    contents.withLock { $0.plan }(trip)
  }
}
