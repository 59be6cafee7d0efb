#if Serve
  import Foundation
  import LedgerRuntime
  import Synchronization

  /// What the server shows, as the thread that reads the ledger publishes it and the connections take it.
  ///
  /// It holds one page, whatever the number of its readers: each takes what is newest when it is ready for more,
  /// so a slow one gets fewer and larger changes.
  final class LivePage: Sendable {
    /// What there is to show.
    struct Content: Sendable {
      var tail: EventTail
      var tables: PageTables
      /// The reason for which nothing more will come.
      var end: String?

      /// The lines of all lists.
      var lines: [(list: PageList, bytes: [UInt8])] {
        var lines: [(list: PageList, bytes: [UInt8])] = []
        tables.forEachLine { lines.append(($0, $1)) }
        tail.forEachLine { lines.append((.events, $0)) }
        return lines
      }
    }

    private struct State {
      var content: Content
      /// The newest versions, which pages that were loaded a moment ago have.
      var recent: [PageTables]
      var readers: [Int: AsyncStream<Void>.Continuation] = [:]
      var lastReader = 0
    }

    private static let recentCount = 4

    private let state: Mutex<State>
    /// Signalled for each reader that leaves.
    private let left = DispatchSemaphore(value: 0)

    init(_ tail: EventTail, _ tables: PageTables) {
      state = Mutex(State(content: Content(tail: tail, tables: tables), recent: [tables]))
    }

    var content: Content { state.withLock { $0.content } }
    var hasReaders: Bool { state.withLock { !$0.readers.isEmpty } }

    /// An earlier version; `nil` if it is too old.
    func tables(version: Int) -> PageTables? {
      state.withLock { $0.recent.first { $0.version == version } }
    }

    func publish(_ tail: EventTail) { change { $0.content.tail = tail } }

    func publish(_ tables: PageTables) {
      change { state in
        state.content.tables = tables
        state.recent = state.recent.suffix(Self.recentCount - 1) + [tables]
      }
    }

    /// Tells the readers that nothing more will come.
    func end(_ reason: String) { change { $0.content.end = $0.content.end ?? reason } }

    /// Wakes the readers, so that they find out whether there is somebody at the other end.
    func tick() { change { _ in } }

    private func change(_ body: (inout State) -> Void) {
      let readers = state.withLock { state in
        body(&state)
        return state.readers.values.map(\.self)
      }
      for reader in readers { reader.yield() }
    }

    /// Runs `body` with a sequence that has an element whenever something changed since the one before it.
    func withChanges<R>(_ body: (AsyncStream<Void>) async throws -> R) async rethrows -> R {
      let (changes, reader) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      let number = state.withLock { state in
        state.lastReader += 1
        state.readers[state.lastReader] = reader
        return state.lastReader
      }
      defer {
        state.withLock { $0.readers[number] = nil }
        left.signal()
      }
      return try await body(changes)
    }

    /// Blocks this thread until all readers are gone, or for as long as they may take.
    @available(*, noasync, message: "blocks the thread")
    func waitForReaders(atMost patience: Duration) {
      let end = DispatchTime.now() + patience / .seconds(1)
      while hasReaders, left.wait(timeout: end) == .success {}
    }
  }
#endif
