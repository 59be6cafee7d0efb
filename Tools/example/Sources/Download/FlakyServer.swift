import LedgerPromises
import Synchronization

/// A picture that was downloaded. Values in a ledger are small: a large one goes into a file, and its
/// path into the ledger.
struct Picture: Codable, Sendable {
  let path: String
}

enum NetworkError: Error {
  case busy, tooSlow
}

/// A server that does not answer at first, is busy then, and answers the third time.
final class FlakyServer: Sendable {
  private let connections = Mutex<[Resolver<Picture>]>([])

  func picture(named name: String, attempt: Int) -> Promise<Picture> {
    say("attempt \(attempt)")
    switch attempt {
    case 1: return unanswered()
    case 2: return .rejected(NetworkError.busy)
    default: return .value(Picture(path: "pictures/\(name)"))
    }
  }

  /// A promise that nothing settles but its cancellation. Its resolver is kept, because a resolver
  /// that is released rejects.
  private func unanswered() -> Promise<Picture> {
    let (promise, resolver) = Promise.make(of: Picture.self)
    resolver.onCancel { _ in say("closed the connection") }
    connections.withLock { $0.append(resolver) }
    return promise
  }
}
