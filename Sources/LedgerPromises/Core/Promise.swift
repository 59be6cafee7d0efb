/// A value that will be there later, or the reason why it will not.
///
/// ```swift
/// let user = Promise { try await api.user(id) }
/// user.map { $0.name }
///   .done(on: .main) { label.text = $0 }
///   .catch { log($0) }
/// ```
/// A promise is *hot*: its work has begun, unless it was made with ``lazy(on:file:line:_:)``. It settles
/// once, with an ``Outcome``, and remembers it; an observer that attaches later gets the same one.
///
/// - Callbacks never run inside `then` or `fulfill`, unless their executor is ``PromiseExecutor/inline``.
/// - Callbacks of one promise on one serial executor run in the order of their registration, also when
///   one thread registers while another settles.
/// - A chain of any length settles without using up the stack.
///
/// The results of operators that the libraries of <doc:FromOtherLibraries> let you ignore may be ignored
/// here too. An error at the end of such a chain is not lost: it is reported as
/// ``PromiseDiagnostic/Kind/unhandledRejection(_:)``.
///
/// Throwing in a callback rejects the promise that the operator returned. Throwing `CancellationError`,
/// or the error of a cancelled promise, cancels it.
public struct Promise<Value: Sendable>: Sendable {
  @usableFromInline let storage: PromiseStorage<Value>

  @usableFromInline
  init(_ storage: PromiseStorage<Value>) {
    self.storage = storage
  }

  // MARK: - Making a promise

  /// Runs `body` at once, on the calling thread, with a resolver for the new promise.
  ///
  /// ```swift
  /// let image = Promise<Image> { complete in
  ///   loader.load(url) { complete($0, $1) }
  /// }
  /// ```
  /// The resolver can be called like a completion handler, see ``Resolver``.
  ///
  /// If `body` throws, the promise is rejected; if it had been settled before, the error is ignored and
  /// reported as ``PromiseDiagnostic/Kind/settledTwice(ignored:)``.
  ///
  /// `executor` is where callbacks run that name no executor; `body` does not run there. With `in:` instead
  /// of `on:` it does.
  public init(
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: (Resolver<Value>) throws -> Void
  ) {
    let resolver = Resolver<Value>(
      PromiseStorage(executor: executor, site: SourceSite(file, line)))
    self.init(resolver.storage)
    resolver.run(body)
  }

  /// Makes a promise and the resolver that settles it.
  @inlinable
  public static func make(
    of type: Value.Type = Value.self,
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> (promise: Promise<Value>, resolver: Resolver<Value>) {
    let storage = PromiseStorage<Value>(executor: executor, site: SourceSite(file, line))
    return (Promise(storage), Resolver(storage))
  }

  /// Makes a promise whose `body` runs once, when the first observer attaches.
  ///
  /// ```swift
  /// let user = Promise<User>.lazy(on: .background) { $0.fulfill(try readUser()) }
  /// user.done(on: .main) { show($0) }  // now it is read
  /// ```
  /// Every operator starts it, also `recover`, `all` and `await`. Reading ``isPending`` or ``outcome`` does
  /// not. The body runs on `executor`, so that starting a long line of lazy promises needs no stack. If the
  /// promise is cancelled before, its body never runs.
  @_disfavoredOverload
  public static func lazy(
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (Resolver<Value>) throws -> Void
  ) -> Promise<Value> {
    Promise(
      PromiseStorage<Value>(
        executor: executor, site: SourceSite(file, line), starter: Resolver<Value>.starter(body)))
  }

  /// A promise that is fulfilled already.
  @inlinable
  public static func value(
    _ value: Value,
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Promise<Value> {
    let storage = PromiseStorage<Value>(executor: executor, site: SourceSite(file, line))
    storage.fulfill(value, in: nil)
    return Promise(storage)
  }

  /// A promise that is rejected already.
  public static func rejected(
    _ error: any Error,
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Promise<Value> {
    settled(.rejected(error), on: executor, file: file, line: line)
  }

  /// A promise that is cancelled already.
  public static func cancelled(
    _ reason: CancellationReason = .unspecified,
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Promise<Value> {
    settled(.cancelled(reason), on: executor, file: file, line: line)
  }

  /// A promise that has the given outcome already.
  public static func settled(
    _ outcome: Outcome<Value>,
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Promise<Value> {
    let storage = PromiseStorage<Value>(executor: executor, site: SourceSite(file, line))
    storage.settle(outcome, in: nil)
    return Promise(storage)
  }
}
