#if Serve
  import FlyingSocks
  import Foundation
  import LedgerRuntime

  /// The server of the live page, for this machine only.
  ///
  /// FlyingFox has a server for HTTP, too. That takes fields of any length and any number of connections, and lets
  /// clients take as long as they like; so only its sockets are used.
  struct PageServer: Sendable {
    /// The number of connections that there can be at once. Each page that is open has one.
    private static let largestConnectionCount = 64

    private let socket: Socket
    private let gate: RequestGate
    private let live: LivePage
    private let template = PageTemplate(.server)
    /// `nil` if the page may only be looked at.
    private let desk: OperatorDesk?

    /// The address of the page, with the token.
    let address: String

    /// Takes a port; connections wait until ``run()``.
    ///
    /// - Parameter port: The port; 0 for a free one.
    /// - Throws: ``Status/Failure`` if the port is taken, or not for this user.
    init(
      _ live: LivePage, port: UInt16, usesIPv6: Bool, desk: OperatorDesk?
    ) throws(Status.Failure) {
      self.live = live
      self.desk = desk
      do {
        socket = try Self.listen(port: port, usesIPv6: usesIPv6)
        let bound =
          switch try socket.sockname() {
          case .ip4(_, let port), .ip6(_, let port): port
          case .unix: port
          }
        let token = AccessToken()
        gate = RequestGate(port: bound, token: token)
        address = "http://\(usesIPv6 ? "[::1]" : "127.0.0.1"):\(bound)/?token=\(token.text)"
      } catch SocketError.failed(_, EADDRINUSE, _) {
        throw Status.Failure(
          .busy, "Port \(port) is in use. Give another with --port, or leave it out for a free one."
        )
      } catch {
        throw Status.Failure(
          .systemFailure,
          "Port \(port) cannot be listened on: \(error.localizedDescription) Give another with --port."
        )
      }
    }

    private static func listen(port: UInt16, usesIPv6: Bool) throws -> Socket {
      let socket = try Socket(domain: usesIPv6 ? AF_INET6 : AF_INET)
      do {
        // A port that was just given up is taken again at once.
        try socket.setValue(true, for: .localAddressReuse)
        if usesIPv6 {
          try socket.bind(to: .loopback(port: port))
        } else {
          try socket.bind(to: .inet(ip4: "127.0.0.1", port: port))
        }
        try socket.listen()
        return socket
      } catch {
        try? socket.close()
        throw error
      }
    }

    // MARK: Connections

    /// Serves until the task is cancelled.
    func run() async throws {
      let pool = SocketPool.make()
      try await pool.prepare()
      try await withThrowingTaskGroup { group in
        group.addTask { try await pool.run() }
        group.addTask { try await accept(AsyncSocket(socket: socket, pool: pool)) }
        defer { group.cancelAll() }
        try await group.next()
      }
    }

    private func accept(_ listener: AsyncSocket) async throws {
      let places = ConnectionPlaces(limit: Self.largestConnectionCount)
      try await withThrowingDiscardingTaskGroup { group in
        while true {
          let connection: Connection
          do {
            connection = Connection(try await listener.accept())
          } catch {
            // There may be no descriptor left, or the client went away before it was taken.
            try await Task.sleep(for: .milliseconds(100))
            continue
          }
          guard let place = places.take() else {
            connection.close()
            continue
          }
          group.addTask {
            await serve(connection, place, of: places)
            places.giveBack(place)
          }
        }
      }
    }

    private func serve(
      _ connection: Connection, _ place: ConnectionPlaces.Place, of places: ConnectionPlaces
    ) async {
      do {
        var isHead = false
        do {
          let request = try await place.whileKept { try await connection.request() }
          isHead = request.method == "HEAD"
          try gate.check(request)
          try places.keep(place)
          try await answer(request, connection)
        } catch let refusal as HTTPAnswer.Refusal {
          try await connection.write(HTTPAnswer.refused(refusal, isHead: isHead))
        }
      } catch {
        // The client is gone, takes too long, or gives its place up.
      }
      connection.close()
    }

    // MARK: Requests

    private func answer(_ request: HTTPRequest, _ connection: Connection) async throws {
      let method =
        switch request.path {
        case "/", "/feed": "GET"
        case "/actions": "POST"
        default: throw HTTPAnswer.Refusal.notFound
        }
      guard request.method == method else { throw HTTPAnswer.Refusal.methodNotAllowed(method) }
      switch request.path {
      case "/": try await sendPage(to: connection)
      case "/feed": try await sendFeed(after: request.fields["last-event-id"], to: connection)
      default: try await act(request, connection)
      }
    }

    private func sendPage(to connection: Connection) async throws {
      let content = live.content
      try await connection.write(
        HTTPAnswer.chunked("text/html; charset=utf-8", policy: template.policy).bytes)
      try await connection.write(chunk: template.beginning)
      try await sendLines(content, to: connection)
      try await connection.write(chunk: content.tables.facts.element(id: "meta"))
      let place = Feed.Place(version: content.tables.version, position: content.tail.position)
      let own = JSONValue.object(["place": .string(place.text), "actions": .bool(desk != nil)])
      try await connection.write(chunk: own.element(id: "live"))
      try await connection.write(chunk: template.end)
      try await connection.write(chunk: [])
    }

    /// Sends the lines of all lists, of which a part at a time is copied.
    private func sendLines(_ content: LivePage.Content, to connection: Connection) async throws {
      var blocks = PageBlocks()
      var complete: [UInt8] = []
      let lines = content.lines
      for start in stride(from: 0, to: lines.count, by: 1_000) {
        for (list, line) in lines[start..<min(start + 1_000, lines.count)] {
          blocks.add(list, line) { complete += $0 }
        }
        if !complete.isEmpty { try await connection.write(chunk: complete) }
        complete = []
      }
      blocks.end { complete += $0 }
      if !complete.isEmpty { try await connection.write(chunk: complete) }
    }

    private func sendFeed(after id: String?, to connection: Connection) async throws {
      try await connection.write(HTTPAnswer.chunked("text/event-stream").bytes)
      guard let feed = Feed(of: live, after: id) else {
        try await connection.write(chunk: Feed.reset)
        return try await connection.write(chunk: [])
      }
      try await connection.whileConnected {
        var feed = feed
        try await feed.run { try await connection.write(chunk: $0) }
        try await connection.write(chunk: [])
      }
    }

    private func act(_ request: HTTPRequest, _ connection: Connection) async throws {
      guard let desk else {
        throw HTTPAnswer.Refusal.forbidden(
          "This page is only for looking. For actions, start \(Program.tool.name) serve with --allow-actions."
        )
      }
      // A form of another page cannot send this type.
      guard request.fields["content-type"] == "application/json" else {
        throw HTTPAnswer.Refusal(
          status: "415 Unsupported Media Type", message: "An action is application/json.")
      }
      let answer = await desk.answer(request.body)
      try await connection.write(
        HTTPAnswer.whole("application/json", Array(answer.description.utf8)))
    }
  }
#endif
