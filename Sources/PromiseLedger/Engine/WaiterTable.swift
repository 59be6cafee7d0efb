/// Who waits for which promise to be settled, and for which position to be passed.
struct WaiterTable {
  typealias Token = UInt64
  typealias PromiseWaiter = @Sendable (Result<PromiseEntity, any Error>) -> Void
  typealias HeadWaiter = @Sendable (Result<Void, any Error>) -> Void

  private var nextToken: Token = 0
  private var byPromise: [PromiseID: [Token: PromiseWaiter]] = [:]
  private var promiseOfToken: [Token: PromiseID] = [:]
  private var byHead: [Token: (position: Position, waiter: HeadWaiter)] = [:]
  /// Watched promises that changed since the last delivery.
  private var touched: Set<PromiseID> = []

  mutating func makeToken() -> Token {
    nextToken += 1
    return nextToken
  }

  func isWatched(_ id: PromiseID) -> Bool { byPromise[id] != nil }

  mutating func wait(for id: PromiseID, _ token: Token, _ waiter: @escaping PromiseWaiter) {
    byPromise[id, default: [:]][token] = waiter
    promiseOfToken[token] = id
  }

  mutating func wait(past position: Position, _ token: Token, _ waiter: @escaping HeadWaiter) {
    byHead[token] = (position, waiter)
  }

  /// Removes a waiter; what it returns tells it that it was cancelled.
  mutating func cancel(_ token: Token) -> (@Sendable () -> Void)? {
    if let head = byHead.removeValue(forKey: token) {
      return { head.waiter(.failure(CancellationError())) }
    }
    guard let id = promiseOfToken.removeValue(forKey: token),
      let waiter = byPromise[id]?.removeValue(forKey: token)
    else { return nil }
    if byPromise[id]?.isEmpty == true { byPromise[id] = nil }
    return { waiter(.failure(CancellationError())) }
  }

  mutating func touch(_ id: PromiseID) {
    if isWatched(id) { touched.insert(id) }
  }

  /// Marks every watched promise, so that the next delivery looks each up anew.
  mutating func touchAll() {
    touched.formUnion(byPromise.keys)
  }

  /// Takes out everybody whose time has come, in the order of positions.
  mutating func takeDue(_ state: LedgerState) -> [@Sendable () -> Void] {
    var due: [(position: Position, wake: @Sendable () -> Void)] = []
    for id in touched {
      guard let entity = state.promise(id), entity.status != .pending,
        let waiters = byPromise.removeValue(forKey: id)
      else { continue }
      for token in waiters.keys.sorted() {
        promiseOfToken[token] = nil
        guard let waiter = waiters[token] else { continue }
        due.append((entity.lastPosition, { waiter(.success(entity)) }))
      }
    }
    touched = []
    for (token, head) in byHead where head.position < state.position {
      byHead[token] = nil
      due.append((head.position, { head.waiter(.success(())) }))
    }
    return due.sorted { $0.position < $1.position }.map { $0.wake }
  }

  /// Takes out everybody, to be told of a failure.
  mutating func takeAll(failingWith error: LedgerError) -> [@Sendable () -> Void] {
    let promiseWaiters = byPromise.values.flatMap(\.values)
    let headWaiters = byHead.values.map(\.waiter)
    byPromise = [:]
    promiseOfToken = [:]
    byHead = [:]
    return promiseWaiters.map { waiter in { @Sendable in waiter(.failure(error)) } }
      + headWaiters.map { waiter in { @Sendable in waiter(.failure(error)) } }
  }
}
