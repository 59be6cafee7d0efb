/// A kind of code that a ledger runs until it is done, and whose result settles a promise.
///
/// The stored properties of the type are its parameters. They are stored when the work is started:
///
/// ```swift
/// struct SendReceipt: LedgerWork {
///   static let kind = "send-receipt"
///   var order: String
///
///   func run(in call: WorkCall<Mailer>) async throws {
///     try await call.context.sendReceipt(of: order, idempotencyKey: call.idempotencyKey)
///   }
/// }
///
/// let sent = try await ledger.start(SendReceipt(order: order), key: PromiseKey("receipt/\(order)"))
/// ```
///
/// A ``LedgerRunner`` of any session that knows the kind runs the code, in whatever process that is. If the
/// process dies or freezes meanwhile, or the code throws, it is run again.
public protocol LedgerWork: Codable, Sendable {
  /// The type of the context, which the running app supplies at each attempt and which is never stored, such
  /// as a connection.
  ///
  /// `Void` for code that needs no context.
  associatedtype Context: Sendable

  /// The type of the promise's value: `Void`, `[UInt8]`, anything `Codable`, or a type with a codec in
  /// ``LedgerConfiguration/codecs``.
  associatedtype Output: Sendable

  /// The name of the kind in ledgers: 1 to 128 bytes of UTF-8. Never change it, and never derive it from the
  /// name of the type.
  static var kind: String { get }

  /// Former names of the kind; work that was started under them still runs.
  static var formerKinds: [String] { get }

  /// The policy for failures, unless the work has its own in ``WorkOptions/retryPolicy``.
  ///
  /// It is not stored: the build that runs the code determines it.
  static var retryPolicy: WorkRetryPolicy { get }

  /// Runs the code.
  ///
  /// It runs at least once, and each run begins at the top. The changes that it requests through `call` happen
  /// exactly once, and only if it returns. What it does in steps (``LedgerCall/step(_:key:retrying:formerly:ignoringCancellation:_:)``)
  /// is not done again once the step has ended. Everything else must be repeatable, for example with the help of
  /// `idempotencyKey`.
  ///
  /// An error that it throws counts as a failure, and the code is run again as the policy specifies. For an
  /// error that every other attempt would meet too, throw ``Permanent``.
  func run(in call: WorkCall<Context>) async throws -> Output
}

extension LedgerWork {
  /// No former names.
  public static var formerKinds: [String] { [] }

  /// The default, ``WorkRetryPolicy/standard``.
  public static var retryPolicy: WorkRetryPolicy { .standard }
}

/// An error that every other attempt of work would meet too: the work is given up at once.
public struct Permanent: Error, Sendable {
  /// The error that the promise is rejected with.
  public let error: any Error

  /// Marks an error as permanent.
  public init(_ error: any Error) {
    self.error = error
  }
}

extension Permanent: StorableError {
  /// The error itself, as data.
  public var storedError: StoredError { StoredError(error) }
}
