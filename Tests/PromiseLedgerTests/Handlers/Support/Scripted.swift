import PromiseLedger

/// A handler whose code comes from its context, so that a test can script it.
struct Scripted: LedgerHandler {
  typealias Code = @Sendable (Scripted, HandlerCall<Script>) async throws -> Int

  /// The actions of the code and the invalidation code.
  struct Script: Sendable {
    var code: Code = { _, _ in 0 }
    var invalidation: @Sendable (Invalidation, HandlerCall<Script>) async throws -> Void = { _, _ in
    }
  }

  struct Invalidation: Codable, Sendable {
    let name: String?
    let why: String?
  }

  static let kind = "scripted"

  let name: String?
  let promise: DurablePromise<Int>?
  let other: DurableHandler?

  func run(in call: HandlerCall<Script>) async throws -> Int {
    try await call.context.code(self, call)
  }

  static func invalidate(_ parameters: Invalidation, in call: HandlerCall<Script>) async throws {
    try await call.context.invalidation(parameters, call)
  }
}

/// The error that scripted code throws.
struct ScriptedError: Error, Codable, Equatable, Sendable {
  let text: String
}
