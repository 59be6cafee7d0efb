/// The kinds of handlers and of work whose code a session knows.
///
/// It is a value that you pass to a ledger in ``LedgerConfiguration/handlers``.
///
/// ```swift
/// var registry = HandlerRegistry()
/// try registry.register(SetAvatar.self) { chat }
/// ```
public struct HandlerRegistry: Sendable {
  /// The registrations by every name, present and former.
  private var registrations: [String: HandlerRegistration] = [:]
  /// The registrations of work by every name, present and former.
  private var works: [String: WorkRegistration] = [:]

  /// Makes an empty registry.
  public init() {}

  /// Adds a kind of handler whose code needs no context from the app.
  ///
  /// - Throws: As ``register(_:contextFor:)``.
  public mutating func register<Handler: LedgerHandler>(
    _ type: Handler.Type
  ) throws(LedgerError) where Handler.Context == Void {
    try add(HandlerRegistration(type) { _, _ in })
  }

  /// Adds a kind of handler.
  ///
  /// - Parameters:
  ///   - type: The type with the code.
  ///   - context: Supplies the context that the code needs from the app; it is called for each call.
  /// - Throws: As ``register(_:contextFor:)``.
  public mutating func register<Handler: LedgerHandler>(
    _ type: Handler.Type, context: @escaping @Sendable () async throws -> Handler.Context
  ) throws(LedgerError) {
    try add(HandlerRegistration(type) { _, _ in try await context() })
  }

  /// Adds a kind of handler whose context depends on the handler, for example on its scopes.
  ///
  /// - Parameters:
  ///   - type: The type with the code.
  ///   - context: Supplies the context that the code needs from the app; it is called for each call. If it
  ///     throws, the call does not begin. The ledger keeps this closure, so capture the ledger's owner
  ///     weakly.
  /// - Throws: ``LedgerError`` with `handlerKindTaken` if a name of the kind belongs to another kind or
  ///   appears among its own former names; `invalidArgument` if the length of a name is out of bounds, or the
  ///   code's return type cannot be recorded.
  public mutating func register<Handler: LedgerHandler>(
    _ type: Handler.Type,
    contextFor context: @escaping @Sendable (HandlerRecord) async throws -> Handler.Context
  ) throws(LedgerError) {
    try add(HandlerRegistration(type) { handler, _ in try await context(handler) })
  }

  /// Adds a kind of handler whose context is made from a live object of the caller, such as the account that
  /// an answer came from.
  ///
  /// The object is passed separately from the arguments, as `with` of ``DurableHandler/call(_:with:)``, and
  /// is never stored. So it is missing if the call runs again after a crash, or if it follows from another
  /// call.
  ///
  /// ```swift
  /// try registry.register(AvatarRemoved.self, with: Account.self) { account, handler in
  ///   guard let account = account ?? accounts.first(in: handler.scopes) else { throw LoggedOut() }
  ///   return account
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type with the code.
  ///   - live: The type of the object. A call with an object of another type fails before it begins, with
  ///     ``LedgerError/Code/typeMismatch``.
  ///   - context: Supplies the context that the code needs, from the object if there is one; it is called for
  ///     each call. If it throws, the call does not begin. The ledger keeps this closure, so capture the
  ///     ledger's owner weakly.
  /// - Throws: As ``register(_:contextFor:)``.
  public mutating func register<Handler: LedgerHandler, Live: Sendable>(
    _ type: Handler.Type, with live: Live.Type,
    context: @escaping @Sendable (Live?, HandlerRecord) async throws -> Handler.Context
  ) throws(LedgerError) {
    try add(
      HandlerRegistration(type, with: LiveType(live)) { handler, object in
        try await context(object.flatMap { $0 as? Live }, handler)
      })
  }

  private mutating func add(_ registration: HandlerRegistration) throws(LedgerError) {
    var added: [String: HandlerRegistration] = [:]
    for name in registration.names {
      try TextLimit.handlerKind.check(name)
      guard added.updateValue(registration, forKey: name) == nil else {
        throw LedgerError(
          .handlerKindTaken,
          "The handler type \(registration.type) has the name \(name) twice: a former name of a kind must differ from its name and from the other former ones."
        )
      }
      if let other = registrations[name] { throw .taken(name, by: other, for: registration) }
    }
    registrations.merge(added) { $1 }
  }

  mutating func add(_ registration: WorkRegistration) throws(LedgerError) {
    var added: [String: WorkRegistration] = [:]
    for name in registration.names {
      try TextLimit.handlerKind.check(name)
      let other = works[name] ?? added[name]
      guard other == nil else {
        throw LedgerError(
          .handlerKindTaken,
          "The name \(name) belongs to the kind of work \(registration.type) and to \(other?.type ?? registration.type). A name, present or former, belongs to one kind."
        )
      }
      added[name] = registration
    }
    works.merge(added) { $1 }
  }

  // MARK: Looking up

  subscript(kind: String) -> HandlerRegistration? { registrations[kind] }

  /// The registration of a type.
  func registration(of type: any LedgerHandler.Type) throws(LedgerError) -> HandlerRegistration {
    guard let registration = registrations[type.kind], registration.type == type else {
      throw LedgerError(
        .handlerUnregistered,
        "The handler type \(type) of the kind \(type.kind) is not registered. Register it in the configuration's handlers before the ledger is opened."
      )
    }
    return registration
  }

  /// All names, present and former.
  var kinds: Set<String> { Set(registrations.keys) }

  subscript(work kind: String) -> WorkRegistration? { works[kind] }

  /// All names of kinds of work, present and former.
  var workKinds: Set<String> { Set(works.keys) }

  /// The names of kinds with invalidation code.
  var kindsWithInvalidationCode: Set<String> {
    Set(registrations.filter { $0.value.hasInvalidationCode }.keys)
  }
}

extension LedgerError {
  fileprivate static func taken(
    _ name: String, by other: HandlerRegistration, for registration: HandlerRegistration
  ) -> LedgerError {
    if other.kind == registration.kind {
      return LedgerError(
        .handlerKindTaken,
        "The kind \(name) is registered twice, by \(other.type) and \(registration.type). Give each handler type a kind of its own."
      )
    }
    let isCycle = other.names.contains(registration.kind) && registration.names.contains(other.kind)
    return LedgerError(
      .handlerKindTaken,
      isCycle
        ? "The kinds \(other.kind) and \(registration.kind) are each a former name of the other. A name belongs to one kind."
        : "The name \(name) belongs to the kind \(other.kind) and to the kind \(registration.kind). A name, present or former, belongs to one kind."
    )
  }
}
