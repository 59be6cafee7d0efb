import Synchronization

/// Starts work in the commit that creates it.
protocol WorkStarter: AnyObject, Sendable {
  func reserve(_ id: PromiseID, kind: String) -> Bool
  func create(_ creation: CreatePromise) async throws -> CreatePromise.Answer
}

/// The runner of a session that starts the work that the session creates.
final class ActiveRunner: Sendable {
  private struct Reference {
    weak var loop: (any WorkStarter)?
  }

  private let contents = Mutex(Reference())

  var loop: (any WorkStarter)? {
    get { contents.withLock { $0.loop } }
    set { contents.withLock { $0.loop = newValue } }
  }
}
