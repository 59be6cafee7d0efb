/// A kind of code that a ledger can store and call later, with parameters that receive their values by name.
///
/// The stored properties of the type are its parameters. An optional property is an optional argument; all
/// others are mandatory. Some values are bound when a handler is created, and the rest are given when it is
/// called:
///
/// ```swift
/// struct SetAvatar: LedgerHandler {
///   static let kind = "set-avatar"
///   var room: String
///   var promise: DurablePromise<Void>
///   var errorText: String?
///
///   func run(in call: HandlerCall<Chat>) async throws {
///     if let errorText {
///       try call.reject(promise, ChatError(errorText))
///     } else {
///       await call.context.removeAvatar(of: room)
///       try call.fulfill(promise, ())
///     }
///   }
/// }
/// ```
///
/// The `init(from:)` of the type makes an instance from the arguments. The synthesised one is suitable; an
/// implementation of your own must decode whole values from a keyed container.
public protocol LedgerHandler: Codable, Sendable {
  /// The type of the context, which the running app supplies at each call and which is never
  /// stored, such as an account or a connection.
  ///
  /// `Void` for code that needs no context.
  associatedtype Context: Sendable

  /// The type of the code's return value. It is recorded, so it is `Void`, `[UInt8]` or anything `Codable`.
  associatedtype Output: Sendable

  /// The parameters of the invalidation code; `Never` if the type has no such code.
  associatedtype Invalidation: Codable & Sendable = Never

  /// A type for some of the arguments, all its members optional, for binding and calling with types that
  /// the compiler checks.
  ///
  /// An instance of the handler itself does the same for
  /// ``Ledger/createHandler(_:key:scopes:repetition:label:)`` if all arguments that the call gives are
  /// optional. The names of the members are checked when they are bound: a member that is not a parameter is
  /// rejected then.
  associatedtype Binding: Encodable & Sendable = HandlerArguments

  /// The name of the kind in ledgers: 1 to 128 bytes of UTF-8, never change it, and never derive it from the
  /// name of the type.
  static var kind: String { get }

  /// Former names of the kind; handlers that were created under them still work.
  static var formerKinds: [String] { get }

  /// The effect of a failure of the code on the promises among the arguments; by default
  /// ``HandlerFailurePolicy/rejectPromise``.
  ///
  /// It is not stored: the build that runs the code determines it. A failure is recorded in any case.
  static var onFailure: HandlerFailurePolicy { get }

  /// Runs the code.
  ///
  /// It runs at least once: if its process dies or freezes, it may run again. The changes that it requests
  /// through `call` happen exactly once, and only if it returns.
  func run(in call: HandlerCall<Context>) async throws -> Output

  /// Runs the invalidation code, after the handler was withdrawn.
  ///
  /// - Parameters:
  ///   - parameters: The parameters, filled by name from the bound arguments and those of the invalidation.
  ///   - call: The same interface as for the code itself.
  static func invalidate(_ parameters: Invalidation, in call: HandlerCall<Context>) async throws
}

extension LedgerHandler {
  /// No former names.
  public static var formerKinds: [String] { [] }

  /// The default, ``HandlerFailurePolicy/rejectPromise``.
  public static var onFailure: HandlerFailurePolicy { .rejectPromise }

  static var hasInvalidationCode: Bool { Invalidation.self != Never.self }
}

extension LedgerHandler where Invalidation == Never {
  /// No invalidation code: the handler is marked, and nothing runs.
  public static func invalidate(
    _ parameters: Never, in call: HandlerCall<Context>
  ) async throws {}
}

/// A handler that works on an instance that it finds in the context, such as a chat of an account.
///
/// If the instance is gone, the call does not begin: it fails with ``LedgerError/Code/instanceNotFound``, and
/// the handler stays as it was.
public protocol LedgerInstanceHandler: LedgerHandler {
  // Restated so that the compiler can infer them from the functions here.
  associatedtype Context
  associatedtype Output

  /// The type of the instance that the code works on.
  associatedtype Instance: Sendable

  /// Finds the instance.
  ///
  /// - Returns: `nil` if it is gone.
  func instance(in context: Context) async throws -> Instance?

  /// Runs the code on the instance.
  func run(on instance: Instance, in call: HandlerCall<Context>) async throws -> Output
}

extension LedgerInstanceHandler {
  /// Finds the instance and runs the code on it.
  public func run(in call: HandlerCall<Context>) async throws -> Output {
    guard let instance = try await instance(in: call.context) else {
      throw LedgerError.instanceNotFound(call.handler.id, kind: Self.kind)
    }
    return try await self.run(on: instance, in: call)
  }
}

/// An instance handler whose invalidation code works on the instance, too.
///
/// If the instance is gone, the invalidation code fails with ``LedgerError/Code/instanceNotFound``: there is
/// nothing left to undo. The handler is still withdrawn, and its promise is rejected as
/// ``LedgerHandler/onFailure`` specifies.
public protocol LedgerInstanceInvalidation: LedgerInstanceHandler {
  // Restated so that the compiler can infer them from the functions here.
  associatedtype Context
  associatedtype Instance
  associatedtype Invalidation

  /// Finds the instance for the invalidation code, from its parameters.
  ///
  /// - Returns: `nil` if it is gone.
  static func instance(
    for parameters: Invalidation, in context: Context
  ) async throws -> Instance?

  /// Runs the invalidation code on the instance, after the handler was withdrawn.
  static func invalidate(
    on instance: Instance, parameters: Invalidation, in call: HandlerCall<Context>
  ) async throws
}

extension LedgerInstanceInvalidation {
  /// Finds the instance and runs the invalidation code on it.
  public static func invalidate(
    _ parameters: Invalidation, in call: HandlerCall<Context>
  ) async throws {
    guard let instance = try await instance(for: parameters, in: call.context) else {
      throw LedgerError(
        .instanceNotFound,
        "\(CodeName.handler(call.handler.id, kind: kind)) was withdrawn, but its invalidation code was not run, because it does not find its instance in the context. Nothing is left to undo."
      )
    }
    try await invalidate(on: instance, parameters: parameters, in: call)
  }
}

extension LedgerError {
  static func instanceNotFound(_ id: HandlerID, kind: String) -> LedgerError {
    LedgerError(
      .instanceNotFound,
      "\(CodeName.handler(id, kind: kind)) was not called, because it does not find its instance in the context. Call it again when the instance exists, or invalidate it."
    )
  }
}
