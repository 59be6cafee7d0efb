/// Steps on the main actor, wherever the recipe is started.
extension ColdPromise {
  /// A recipe that begins on the main actor, with a promise made by `make`. A throw is a rejection.
  public init(
    on executor: MainActorExecutor,
    _ make: @escaping @MainActor @Sendable () throws -> Promise<Value>
  ) {
    self = ColdPromise<Void>.value(()).bind(on: executor) { ColdPromise(started: try make()) }
  }

  /// A recipe that begins with a call on the main actor that completes later.
  ///
  /// ```swift
  /// let fadeOut = ColdPromise<View>(on: .main) { complete in
  ///   View.animate(seconds: 2) {
  ///     view.isHidden = true
  ///   } completion: {
  ///     complete(view)
  ///   }
  /// }
  /// ```
  public init(
    on executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Resolver<Value>) throws -> Void
  ) {
    self.init(on: executor) { Promise(in: executor, fileID: fileID, line: line, body) }
  }

  /// The same as ``then(_:)``, on the main actor.
  public func then<NewValue: Sendable>(
    on executor: MainActorExecutor,
    _ transform: @escaping @MainActor @Sendable (Value) throws -> NewValue
  ) -> ColdPromise<NewValue> {
    adding { promise, _ in promise.map(on: executor, transform) }
  }

  /// The same as ``bind(_:)``, with `next` called on the main actor.
  public func bind<NewValue: Sendable>(
    on executor: MainActorExecutor,
    _ next: @escaping @MainActor @Sendable (Value) throws -> ColdPromise<NewValue>
  ) -> ColdPromise<NewValue> {
    adding { promise, ownExecutor in
      promise.then(on: executor) { try next($0).start(on: ownExecutor) }
    }
  }

  /// The same as ``sequence(_:_:)``, with `next` called on the main actor.
  public func sequence<Elements: Sequence>(
    _ elements: Elements,
    on executor: MainActorExecutor,
    _ next: @escaping @MainActor @Sendable (Value, Elements.Element) throws -> ColdPromise<Value>
  ) -> ColdPromise<Value> where Elements.Element: Sendable {
    elements.reduce(self) { recipe, element in
      recipe.bind(on: executor) { try next($0, element) }
    }
  }

  /// The same as ``recover(includingCancellation:_:)``, on the main actor.
  public func recover(
    on executor: MainActorExecutor,
    includingCancellation: Bool = false,
    _ body: @escaping @MainActor @Sendable (any Error) throws -> Value
  ) -> ColdPromise<Value> {
    adding { promise, _ in
      promise.recover(on: executor, includingCancellation: includingCancellation, body)
    }
  }
}
