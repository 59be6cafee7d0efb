import Testing

/// Every combination that the idempotency rule implies: stored states, requests, and the required
/// results.
///
/// The table does not define how a promise gets into its stored state, so one table serves the pure
/// reducer and a ledger on disk.
package enum IdempotencyTable {
  /// The create key of every promise that has one.
  package static let createKey = "create key"
  /// The resolve key of every promise that has one.
  package static let resolveKey = "resolve key"
  /// A key that is stored nowhere.
  package static let otherKey = "other key"

  package struct Row: Hashable, Sendable {
    /// The number of the row from 1; good for making an id.
    package let number: Int
    package let stored: IdempotencyOracle.Stored
    package let request: IdempotencyOracle.Request
    package let expected: IdempotencyOracle.Expectation
  }

  /// 324 rows.
  package static let rows: [Row] = combinations.enumerated().map { index, combination in
    Row(
      number: index + 1, stored: combination.stored, request: combination.request,
      expected: IdempotencyOracle.answer(to: combination.request, on: combination.stored))
  }

  private static var combinations:
    [(stored: IdempotencyOracle.Stored, request: IdempotencyOracle.Request)]
  {
    storedCombinations.flatMap { stored in
      operations.flatMap { operation in
        requestKeys(operation, stored).flatMap { key in
          [false, true].map { isStrict in
            (stored, .init(operation: operation, key: key, isStrict: isStrict))
          }
        }
      }
    }
  }

  private static let operations: [IdempotencyOracle.Operation] =
    [.create] + IdempotencyOracle.Outcome.allCases.map { .resolve($0) }

  private static var storedCombinations: [IdempotencyOracle.Stored] {
    let createKeys = [nil, createKey]
    var all = [IdempotencyOracle.Stored(state: .absent)]
    all += createKeys.map { .init(state: .pending, createKey: $0) }
    for outcome in IdempotencyOracle.Outcome.allCases {
      for resolveKey in [nil, resolveKey] {
        all += createKeys.map {
          .init(state: .resolved(outcome), createKey: $0, resolveKey: resolveKey)
        }
      }
    }
    all += createKeys.map { .init(state: .timedOut, createKey: $0) }
    return all
  }

  /// None, the stored one if there is one, and a different one.
  private static func requestKeys(
    _ operation: IdempotencyOracle.Operation, _ stored: IdempotencyOracle.Stored
  ) -> [String?] {
    let storedKey = operation == .create ? stored.createKey : stored.resolveKey
    return [nil] + (storedKey == nil ? [] : [storedKey]) + [otherKey]
  }
}

extension IdempotencyTable.Row: CustomTestStringConvertible {
  package var testDescription: String {
    func text(_ key: String?) -> String { key ?? "none" }
    return """
      row \(number): stored \(stored.state), create key \(text(stored.createKey)), \
      resolve key \(text(stored.resolveKey)); asked \(request.operation), \
      key \(text(request.key)), \(request.isStrict ? "strict" : "lenient")
      """
  }
}
