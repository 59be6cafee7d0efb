/// The required answers of create and resolve, derived from the idempotency rule alone.
///
/// The rule is about the stored state (state S, create key kc, resolve key ku) and the request (op,
/// key k, strict). It is written here a second time, independently of the reducer, so that the two
/// can be compared.
package enum IdempotencyOracle {
  /// The state S of the rule.
  package enum State: Hashable, Sendable {
    case absent, pending, timedOut
    case resolved(Outcome)
  }

  /// The possible effects of a resolve on a promise.
  package enum Outcome: Hashable, Sendable, CaseIterable {
    case fulfilled, rejected, cancelled
  }

  package enum Operation: Hashable, Sendable {
    case create
    case resolve(Outcome)
  }

  package struct Stored: Hashable, Sendable {
    package var state: State
    package var createKey: String?
    package var resolveKey: String?
  }

  package struct Request: Hashable, Sendable {
    package var operation: Operation
    package var key: String?
    package var isStrict: Bool
  }

  package enum Verdict: Hashable, Sendable {
    case created, conflict
    case resolved, alreadyResolved, notFound
    case deduplicated
  }

  package struct Expectation: Hashable, Sendable {
    package var verdict: Verdict
    package var after: Stored
  }

  package static func answer(to request: Request, on stored: Stored) -> Expectation {
    switch request.operation {
    case .create: create(request, stored)
    case .resolve(let outcome): resolve(request, outcome, stored)
    }
  }

  private static func create(_ request: Request, _ stored: Stored) -> Expectation {
    // Rule 1: absent, create.
    if stored.state == .absent {
      return Expectation(
        verdict: .created,
        after: Stored(state: .pending, createKey: request.key, resolveKey: nil))
    }
    // Rule 2.
    let isSame = areSame(request.key, stored.createKey)
    let mayFind = !request.isStrict || stored.state == .pending
    return Expectation(verdict: isSame && mayFind ? .deduplicated : .conflict, after: stored)
  }

  private static func resolve(
    _ request: Request, _ outcome: Outcome, _ stored: Stored
  ) -> Expectation {
    // Rule 1: absent, any other op.
    if stored.state == .absent { return Expectation(verdict: .notFound, after: stored) }
    // Rule 3.
    if stored.state == .pending {
      let after = Stored(
        state: .resolved(outcome), createKey: stored.createKey, resolveKey: request.key)
      return Expectation(verdict: .resolved, after: after)
    }
    // Rule 4.
    if stored.state == .timedOut, !request.isStrict {
      return Expectation(verdict: .deduplicated, after: stored)
    }
    // Rule 5.
    if areSame(request.key, stored.resolveKey),
      !request.isStrict || stored.state == .resolved(outcome)
    {
      return Expectation(verdict: .deduplicated, after: stored)
    }
    // Rule 6.
    return Expectation(verdict: .alreadyResolved, after: stored)
  }

  /// nil never equals anything, not even nil.
  private static func areSame(_ left: String?, _ right: String?) -> Bool {
    guard let left, let right else { return false }
    return left == right
  }
}
