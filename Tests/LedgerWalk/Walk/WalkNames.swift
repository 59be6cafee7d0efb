package import LedgerModel
import LedgerModelTestSupport
package import LedgerOracle

/// The ids of a ledger for the numbers of the oracle: odd ones are made from keys.
package enum WalkNames {
  /// The number of promises that one ledger may have.
  package static let promiseCount = 120
  package static let handlerCount = 60

  private static let promiseIDs: [PromiseID] = (0...promiseCount).map { number in
    guard let text = key(number), let key = try? PromiseKey(text) else { return .numbered(number) }
    return key.promiseID
  }

  private static let handlerIDs: [HandlerID] = (0...handlerCount).map { number in
    guard let text = key(number), let key = try? HandlerKey(text) else { return .numbered(number) }
    return key.handlerID
  }

  private static let numbers: [EntityID: Int] = {
    var numbers: [EntityID: Int] = [:]
    for (number, id) in promiseIDs.enumerated() { numbers[id.entityID] = number }
    for (number, id) in handlerIDs.enumerated() { numbers[id.entityID] = number }
    for number in 0...promiseCount { numbers[SessionID.numbered(number).entityID] = number }
    return numbers
  }()

  package static func key(_ number: Int) -> String? {
    number.isMultiple(of: 2) ? nil : "key of \(number)"
  }

  package static func promise(_ number: Int) -> PromiseID { promiseIDs[number] }

  package static func handler(_ number: Int) -> HandlerID { handlerIDs[number] }

  /// The number of a promise, handler or session; 0 for anything else, such as the ledger.
  package static func number(_ id: EntityID) -> Int { numbers[id] ?? 0 }

  package static func number(_ id: some LedgerIdentifier) -> Int { number(id.entityID) }

  // MARK: Policies

  /// The delay after a failure, from three quarters of it on, in nanoseconds.
  package static let delay = 400

  package static func policy(_ policy: Oracle.Policy) throws(LedgerError) -> WorkRetryPolicy {
    try WorkRetryPolicy(
      failureLimit: policy.failureLimit, firstDelay: .nanoseconds(delay),
      longestDelay: .nanoseconds(delay), factor: 1, givingUp: policy.parks ? .park : .reject)
  }

  /// What the oracle cannot know: the order of ids, and how the delays of a policy are spread.
  package static let constants: Oracle.Constants = {
    var ranks = [Int](repeating: 0, count: promiseIDs.count)
    for (rank, id) in promiseIDs.sorted().enumerated() { ranks[number(id)] = rank }
    let spread = try? policy(Oracle.Policy(failureLimit: 1, parks: false))
    let delays = promiseIDs.map { id in
      (0...8).map { failure -> Int in
        guard failure > 0, let spread else { return 0 }
        return Int(spread.delay(after: UInt64(failure), of: id) / .nanoseconds(1))
      }
    }
    precondition(
      delays.allSatisfy { $0.dropFirst().allSatisfy { (delay * 3 / 4...delay).contains($0) } })
    return Oracle.Constants(
      ranks: ranks, delays: delays, isKeyed: promiseIDs.indices.map { key($0) != nil })
  }()
}

extension Timestamp {
  package var nanoseconds: Int { Int(nanosecondsSinceEpoch) }
}

extension WalkNames {
  /// The number of a call, which its id contains.
  package static func call(_ id: CallID) -> Int { Int(id.entityID.high >> 16 & 0xFFFF) }
}
