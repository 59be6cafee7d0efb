package import PromiseLedger

/// A handler whose code comes from its context, so that a test can script it.
package struct Scripted: LedgerHandler {
  package typealias Code = @Sendable (Scripted, HandlerCall<Script>) async throws -> Int

  /// The actions of the code and the invalidation code.
  package struct Script: Sendable {
    package var code: Code
    package var invalidation: @Sendable (Invalidation, HandlerCall<Script>) async throws -> Void

    package init(
      code: @escaping Code = { _, _ in 0 },
      invalidation:
        @escaping @Sendable (Invalidation, HandlerCall<Script>) async throws -> Void = { _, _ in }
    ) {
      self.code = code
      self.invalidation = invalidation
    }
  }

  package struct Invalidation: Codable, Sendable {
    package let name: String?
    package let why: String?
  }

  package static let kind = "scripted"

  package let name: String?
  package let promise: DurablePromise<Int>?
  package let other: DurableHandler?

  package init(name: String?, promise: DurablePromise<Int>?, other: DurableHandler?) {
    self.name = name
    self.promise = promise
    self.other = other
  }

  package func run(in call: HandlerCall<Script>) async throws -> Int {
    try await call.context.code(self, call)
  }

  package static func invalidate(_ parameters: Invalidation, in call: HandlerCall<Script>)
    async throws
  {
    try await call.context.invalidation(parameters, call)
  }
}

/// The error that scripted code throws.
package struct ScriptedError: Error, Codable, Equatable, Sendable {
  package let text: String

  package init(text: String) { self.text = text }
}
