/// The half of a promise that settles it; give it to whoever knows the outcome.
///
/// ```swift
/// let (promise, resolver) = Promise.make(of: Int.self)
/// resolver.onCancel { _ in request.abort() }
/// request.start { resolver.fulfill($0) }
/// ```
/// The first call settles; each returns whether it was the one. Later calls change nothing and are
/// reported as ``PromiseDiagnostic/Kind/settledTwice(ignored:)``, or as
/// ``PromiseDiagnostic/Kind/settledLate`` if the promise had been cancelled. A resolver that is
/// released without having settled its promise rejects it with ``PromiseError/Code/abandoned``, so
/// nobody waits for ever.
public final class Resolver<Value: Sendable>: Sendable {
  @usableFromInline let storage: PromiseStorage<Value>

  @inlinable
  init(_ storage: PromiseStorage<Value>) {
    self.storage = storage
  }

  deinit {
    storage.resolverWasReleased()
  }

  /// The promise that this resolver settles.
  public var promise: Promise<Value> { Promise(storage) }

  /// Whether the promise still waits for this resolver.
  public var isOpen: Bool { storage.isOpen }

  /// Fulfils the promise, whatever the type of the value: fulfilling with an error value fulfils.
  @inlinable
  @discardableResult
  public func fulfill(_ value: Value) -> Bool {
    storage.accept(storage.fulfill(value, byResolver: true, in: nil), error: nil)
  }

  /// Rejects the promise, whatever the error is: this never cancels.
  @discardableResult
  public func reject(_ error: any Error) -> Bool {
    storage.accept(storage.settle(Failure.rejected(error), byResolver: true, in: nil), error: error)
  }

  /// Cancels the promise from the side of the one who does the work. Cancelling a cancelled promise is
  /// not reported.
  @discardableResult
  public func cancel(_ reason: CancellationReason = .unspecified) -> Bool {
    let result = storage.settle(Failure.cancelled(reason), byResolver: true, in: nil)
    return result.wasCancelled ? false : storage.accept(result, error: nil)
  }

  /// Settles with an outcome.
  @discardableResult
  public func resolve(with outcome: Outcome<Value>) -> Bool {
    switch outcome {
    case .fulfilled(let value): fulfill(value)
    case .rejected(let error): reject(error)
    case .cancelled(let reason): cancel(reason)
    }
  }

  /// Fulfils with a success, rejects with a failure.
  @discardableResult
  public func resolve(with result: Result<Value, some Error>) -> Bool {
    switch result {
    case .success(let value): fulfill(value)
    case .failure(let error): reject(error)
    }
  }

  /// Gives the fate of this promise to another one.
  ///
  /// From then on this resolver has no say, although the promise stays pending until the other settles.
  /// Cancelling this promise cancels the other one; a cancelled other one cancels this. Resolving with
  /// the promise itself, or with one that (also over several) was resolved with it, rejects with
  /// ``PromiseError/Code/resolvedWithItself``. A cycle that runs through callbacks, such as a promise
  /// resolved with its own `map`, is not found: such promises stay pending until one is cancelled.
  @discardableResult
  public func resolve(with promise: Promise<Value>) -> Bool {
    storage.accept(storage.follow(promise.storage, byResolver: true, in: nil), error: nil)
  }

  /// Calls `handler` once if the promise is cancelled, by anyone, at once if it is already.
  ///
  /// It runs on the thread that cancels, with no lock held, and is released when the promise settles.
  /// This is how cancelling reaches work outside this library: stop it, but do not wait for it.
  public func onCancel(_ handler: @escaping @Sendable (CancellationReason) -> Void) {
    storage.onCancel(handler)
  }

  /// Runs a body, and rejects or cancels as the error that it throws says.
  func run(_ body: (Resolver<Value>) throws -> Void) {
    do {
      try body(self)
    } catch {
      let failure = Failure(thrown: error)
      let result = storage.settle(failure, byResolver: true, in: nil)
      if result.wasCancelled, failure.kind == .cancelled { return }
      _ = storage.accept(result, error: error)
    }
  }
}
