package import PromiseLedger

/// Work whose code comes from its context, so that a test can script it.
package struct ScriptedWork: LedgerWork {
  package struct Script: Sendable {
    package let code: @Sendable (ScriptedWork, WorkCall<Script>) async throws -> Int

    package init(
      code: @escaping @Sendable (ScriptedWork, WorkCall<Script>) async throws -> Int
    ) {
      self.code = code
    }
  }

  package static let kind = "scripted-work"
  package static let formerKinds = ["scripted-task"]

  package var name: String?
  package var promise: DurablePromise<Int>?
  /// The value of an awaited promise.
  package var value: Int?
  /// The error of an awaited promise.
  package var failure: StoredError?

  package init(
    name: String? = nil, promise: DurablePromise<Int>? = nil, value: Int? = nil,
    failure: StoredError? = nil
  ) {
    self.name = name
    self.promise = promise
    self.value = value
    self.failure = failure
  }
}

extension ScriptedWork {
  package func run(in call: WorkCall<Script>) async throws -> Int {
    try await call.context.code(self, call)
  }
}

/// Work of another kind.
package struct OtherWork: LedgerWork {
  package static let kind = "other-work"
  package var name: String?

  package init(name: String? = nil) { self.name = name }

  package func run(in call: WorkCall<OtherScript>) async throws -> String {
    try await call.context.code(name ?? "")
  }
}

/// The code of the other kind.
package struct OtherScript: Sendable {
  package let code: @Sendable (String) async throws -> String

  package init(code: @escaping @Sendable (String) async throws -> String) { self.code = code }
}
