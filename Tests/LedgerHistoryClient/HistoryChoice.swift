import LedgerLinearizability
import LedgerRuntime
import LedgerTestSupport

/// A random request about one of the objects of a history.
struct HistoryChoice: Sendable {
  enum Request: Sendable {
    case promise(PromiseRequest)
    /// A consumption with code that handles the outcome.
    case consumeWithCode
    /// A read from a state that was taken before.
    case promiseInTakenState
    case handler(HandlerRequest)
    case callHandler
    case work(WorkRequest)
  }

  /// Such as `17/p1`.
  let object: String
  let request: Request

  /// Whether the request may wait for an outcome that never comes.
  var waits: Bool {
    switch request {
    case .promise(.consume), .promise(.outcome), .consumeWithCode, .work(.outcome): true
    default: false
    }
  }

  /// The session of the caller, in requests that name it.
  static let ownSession = "self"

  /// - Parameter creates: Whether it creates its object.
  init(
    in history: UInt64, by role: SessionRole, creates: Bool, _ generator: inout SeededGenerator
  ) {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0..<5:
      object = "\(history)/p\(Int.random(in: 0..<2, using: &generator))"
      request = Self.promise(by: role, creates, &generator)
    case 5..<8:
      let number = Int.random(in: 0..<2, using: &generator)
      object = "\(history)/h\(number)"
      request = Self.handler(isRepeating: number == 1, creates, &generator)
    default:
      object = "\(history)/w0"
      request = .work(creates ? .start : Self.work(&generator))
    }
  }

  private static func promise(
    by role: SessionRole, _ creates: Bool, _ generator: inout SeededGenerator
  ) -> Request {
    let mayConsume = role == .app
    switch creates ? 0 : Int.random(in: 0..<20, using: &generator) {
    case 0..<3: return .promise(.create(isStrict: Bool.random(using: &generator)))
    case 3..<8:
      let kind = ["fulfilled", "rejected", "cancelled"].randomElement(using: &generator) ?? ""
      let key = [nil, "a", "b"].randomElement(using: &generator) ?? nil
      return .promise(
        .settle(
          outcome: "\(kind):\(value(&generator))", key: key,
          isStrict: Bool.random(using: &generator)))
    case 8..<9: return .promise(.abandon)
    case 9..<12 where mayConsume: return .promise(.consume(session: ownSession))
    case 12..<14 where mayConsume: return .consumeWithCode
    case 14..<15: return .promise(.outcome)
    case 15..<16: return .promiseInTakenState
    default: return .promise(.read)
    }
  }

  private static func handler(
    isRepeating: Bool, _ creates: Bool, _ generator: inout SeededGenerator
  ) -> Request {
    switch creates ? 0 : Int.random(in: 0..<12, using: &generator) {
    case 0..<2: .handler(.create(value: value(&generator), isRepeating: isRepeating))
    case 2..<5: .handler(.rebind(value: value(&generator)))
    case 5: .handler(.invalidate)
    case 6..<10: .callHandler
    default: .handler(.read)
    }
  }

  private static func work(_ generator: inout SeededGenerator) -> WorkRequest {
    switch Int.random(in: 0..<12, using: &generator) {
    case 0..<4: .start
    case 4: .cancel(reason: value(&generator))
    case 5: .force(outcome: "rejected:\(value(&generator))")
    case 6..<8: .outcome
    default: .read
    }
  }

  /// A value that is hardly chosen twice.
  private static func value(_ generator: inout SeededGenerator) -> String {
    String(generator.next() % 1_000_000)
  }
}
