#if Serve
  import Synchronization

  /// The connections that there can be at once.
  ///
  /// Any program on this machine can connect and be silent. So a connection that has not shown the token yet gives its
  /// place up to a new one.
  final class ConnectionPlaces: Sendable {
    /// The place of one connection.
    struct Place: Sendable {
      fileprivate let number: Int
      /// Ends when the place is given to another connection.
      fileprivate let end: AsyncStream<Never>

      /// Runs `body` until it ends, or until the place is given to another connection.
      ///
      /// - Throws: `Taken`, or an error of `body`.
      func whileKept<R: Sendable>(
        _ body: @escaping @Sendable () async throws -> R
      ) async throws -> R {
        try await withThrowingTaskGroup(of: R?.self) { group in
          group.addTask { try await body() }
          group.addTask {
            for await _ in end {}
            return nil
          }
          defer { group.cancelAll() }
          guard let first = try await group.next(), let result = first else { throw Taken() }
          return result
        }
      }
    }

    struct Taken: Error {}

    private struct State {
      var count = 0
      var lastNumber = 0
      /// The connections that have not shown the token, the oldest first.
      var strangers: [(number: Int, end: AsyncStream<Never>.Continuation)] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// - Returns: `nil` if there is no place.
    func take() -> Place? {
      let (stream, end) = AsyncStream.makeStream(of: Never.self)
      let (place, oldest) = state.withLock { state in
        var oldest: AsyncStream<Never>.Continuation?
        if state.count >= limit {
          // Those that were told have as many places in which to end.
          guard state.count < 2 * limit, !state.strangers.isEmpty else {
            return (Place?.none, oldest)
          }
          oldest = state.strangers.removeFirst().end
        }
        state.count += 1
        state.lastNumber += 1
        state.strangers.append((state.lastNumber, end))
        return (Place(number: state.lastNumber, end: stream), oldest)
      }
      oldest?.finish()
      return place
    }

    /// Notes that a connection has shown the token, so that it keeps its place.
    ///
    /// - Throws: `Taken` if it is too late.
    func keep(_ place: Place) throws {
      try state.withLock { state in
        guard let index = state.strangers.firstIndex(where: { $0.number == place.number }) else {
          throw Taken()
        }
        state.strangers.remove(at: index)
      }
    }

    func giveBack(_ place: Place) {
      state.withLock { state in
        state.count -= 1
        state.strangers.removeAll { $0.number == place.number }
      }
    }
  }
#endif
