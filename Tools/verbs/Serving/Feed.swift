#if Serve
  import LedgerRuntime

  /// What one open page is told: server-sent events, each of which has all changes since the one before it.
  struct Feed {
    /// The shortest time between two events: more of them in a second are more than a person sees.
    private static let pause = Duration.milliseconds(50)
    private static let largestEventCount = 500

    /// How far a page knows the ledger. Its text is the id of an event, from which a page goes on.
    struct Place: Equatable {
      var version: Int
      var position: Position

      init(version: Int, position: Position) {
        (self.version, self.position) = (version, position)
      }

      init?(_ text: String) {
        let numbers = text.split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 2, let version = Int(numbers[0]), let position = UInt64(numbers[1])
        else { return nil }
        self.init(version: version, position: Position(rawValue: position))
      }

      var text: String { "\(version)-\(position)" }
    }

    let live: LivePage
    private var place: Place
    private var tables: PageTables

    /// - Parameter id: The id of the last event that the page heard of, or of the page itself.
    /// - Returns: `nil` if the page is too old: it has to be loaded again.
    init?(of live: LivePage, after id: String?) {
      guard let place = id.flatMap(Place.init), let tables = live.tables(version: place.version)
      else { return nil }
      self.live = live
      self.place = place
      self.tables = tables
    }

    /// The event that tells a page to load all anew.
    static let reset = Array("event: reset\ndata: {}\n\n".utf8)

    /// Passes on events until the server ends.
    mutating func run(_ send: ([UInt8]) async throws -> Void) async throws {
      // The page hears at once that it is connected.
      try await send(Array(": here\n\n".utf8))
      try await live.withChanges { changes in
        var changes = changes.makeAsyncIterator()
        while true {
          let content = live.content
          guard let event = next(content) else { return try await send(Self.reset) }
          try await send(event.bytes)
          if event.isEmpty, let end = content.end {
            let data = JSONValue.object(["message": .string(end)])
            return try await send(Array("event: end\ndata: \(data)\n\n".utf8))
          }
          guard event.isEmpty else {
            // What comes meanwhile is told with the next event.
            try await Task.sleep(for: Self.pause)
            continue
          }
          guard await changes.next() != nil else { return }
        }
      }
    }

    /// The next event; `nil` if events are missing that the page does not have.
    private mutating func next(_ content: LivePage.Content) -> (bytes: [UInt8], isEmpty: Bool)? {
      guard
        let events = content.tail.lines(after: place.position, limit: Self.largestEventCount)
      else { return nil }
      let isNewer = content.tables.version != tables.version
      guard isNewer || !events.lines.isEmpty else { return (Array(":\n\n".utf8), true) }
      place = Place(version: content.tables.version, position: events.last)
      var data: [String: JSONValue] = [
        "events": .array(events.lines.map(JSONValue.text)),
        "firstEvent": .unsigned(content.tail.events.first.rawValue),
        "position": .unsigned(place.position.rawValue),
      ]
      if isNewer {
        data["lists"] = content.tables.changes(since: tables)
        data["facts"] = content.tables.facts
        tables = content.tables
      }
      let text = "id: \(place.text)\nevent: change\ndata: \(JSONValue.object(data))\n\n"
      return (Array(text.utf8), false)
    }
  }
#endif
