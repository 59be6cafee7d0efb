import LedgerPromises
import Testing

/// Every row of the operator table, on success, failure and cancellation (hard rule 5: cancellation has
/// no forgotten path).
@Suite(.timeLimit(.minutes(10))) struct OperatorTests {
  /// One operator as a table row: its result for each outcome of its source.
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let apply: @Sendable (Promise<Int>) -> Promise<String>
    let fulfilled: String
    let rejected: String
    let cancelled: String

    var testDescription: String { name }

    init(
      _ name: String, fulfilled: String = "value 1", rejected: String = "error 1",
      cancelled: String = "cancelled why",
      _ apply: @escaping @Sendable (Promise<Int>) -> Promise<String>
    ) {
      self.name = name
      self.apply = apply
      self.fulfilled = fulfilled
      self.rejected = rejected
      self.cancelled = cancelled
    }
  }

  static let rows: [Row] = chaining + failing + combining

  static let chaining = [
    Row("map") { $0.map { "\($0)" } },
    Row("map that throws", fulfilled: "error 9") { $0.map { _ in throw TestError(9) } },
    Row("map that throws cancellation", fulfilled: "cancelled the task was cancelled") {
      $0.map { _ in throw CancellationError() }
    },
    Row("then") { $0.then { .value("\($0)") } },
    Row("then a rejected promise", fulfilled: "error 9") {
      $0.then { _ in .rejected(TestError(9)) }
    },
    Row("then a cancelled promise", fulfilled: "cancelled inner") {
      $0.then { _ in .cancelled("inner") }
    },
    Row("done", fulfilled: "value ()") { $0.done { _ in }.map { "\($0)" } },
    Row("get") { $0.get { _ in }.map { "\($0)" } },
    Row("get that throws", fulfilled: "error 9") {
      $0.get { _ in throw TestError(9) }.map { "\($0)" }
    },
    Row("tap") { $0.tap { _ in }.map { "\($0)" } },
    Row("compactMap") { $0.compactMap { "\($0)" } },
    Row("compactMap to nil", fulfilled: "noValue") { $0.compactMap { _ in nil } },
    Row("asVoid", fulfilled: "value ()") { $0.asVoid().map { "\($0)" } },
    Row("validate") { $0.validate { $0 == 1 }.map { "\($0)" } },
    Row("validate that fails", fulfilled: "notValid") { $0.validate { $0 == 2 }.map { "\($0)" } },
    Row("pass") { $0.pass { _ in Promise.value("ignored") }.map { "\($0)" } },
    Row("pass that fails", fulfilled: "error 9") {
      $0.pass { _ in Promise<Void>.rejected(TestError(9)) }.map { "\($0)" }
    },
    Row("pass that is cancelled", fulfilled: "cancelled inner") {
      $0.pass { _ in Promise<Void>.cancelled("inner") }.map { "\($0)" }
    },
    Row("timeout") { $0.timeout(.seconds(1), clock: TestClock.still).map { "\($0)" } },
    Row("timeout of nothing on a settled source") { $0.timeout(.zero).map { "\($0)" } },
    Row("delay of less than nothing") { $0.delay(.seconds(-1)).map { "\($0)" } },
  ]

  static let failing = [
    Row("catch", fulfilled: "value ()", rejected: "value ()", cancelled: "value ()") {
      $0.catch { _ in }.asPromise().map { "\($0)" }
    },
    Row("onError") { $0.onError { _ in }.map { "\($0)" } },
    Row("recover", rejected: "value 5") { $0.recover { _ in 5 }.map { "\($0)" } },
    Row("recover from cancellation too", rejected: "value 5", cancelled: "value 5") {
      $0.recover(includingCancellation: true) { _ in 5 }.map { "\($0)" }
    },
    Row("recover that throws", rejected: "error 9") {
      $0.recover { _ in throw TestError(9) }.map { "\($0)" }
    },
    Row("recoverThen", rejected: "value 5") { $0.recoverThen { _ in .value(5) }.map { "\($0)" } },
    Row("recoverThen a cancelled promise", rejected: "cancelled inner") {
      $0.recoverThen { _ in .cancelled("inner") }.map { "\($0)" }
    },
    Row("recoverAlways", rejected: "value 5", cancelled: "value 5") {
      $0.recoverAlways { _ in 5 }.asPromise().map { "\($0)" }
    },
    Row("ensure") { $0.ensure {}.map { "\($0)" } },
    Row("ensureAsync") { $0.ensureAsync { .value(()) }.map { "\($0)" } },
    Row(
      "ensureAsync that fails", fulfilled: "error 9", rejected: "cleanUpFailed",
      cancelled: "cancelled why"
    ) { $0.ensureAsync { .rejected(TestError(9)) }.map { "\($0)" } },
    Row(
      "ensureAsync that throws", fulfilled: "error 9", rejected: "cleanUpFailed",
      cancelled: "cancelled why"
    ) { $0.ensureAsync { throw TestError(9) }.map { "\($0)" } },
    Row(
      "ensureAsync that is cancelled", fulfilled: "cancelled inner", rejected: "cleanUpFailed",
      cancelled: "cancelled why"
    ) { $0.ensureAsync { .cancelled("inner") }.map { "\($0)" } },
  ]

  static let combining = [
    Row("all", fulfilled: "value [0, 1]") { Promise.all([.value(0), $0]).map { "\($0)" } },
    Row("all of a tuple", fulfilled: "value (1, \"x\")") {
      Promise.all($0, Promise.value("x")).map { "\($0)" }
    },
    Row("zip", fulfilled: "value (1, \"x\")") { $0.zip(Promise.value("x")).map { "\($0)" } },
    Row("all with a limit", fulfilled: "value [1]") { source in
      let factories: [@Sendable () throws -> Promise<Int>] = [{ source }]
      return Promise.all(limit: 1, factories: factories).map { "\($0)" }
    },
    Row(
      "allSettled", fulfilled: "value [fulfilled(1)]",
      rejected: "value [rejected(TestError(number: 1))]", cancelled: "value [cancelled(why)]"
    ) { Promise.allSettled([$0]).asPromise().map { "\($0)" } },
    Row("race") { source in
      let other = Promise.make(of: Int.self)
      return Promise.race([other.promise, source]).ensure { other.resolver.fulfill(0) }
        .map { "\($0)" }
    },
    Row("any", rejected: "allRejected") { Promise.any([$0]).map { "\($0)" } },
    Row("any with a fulfilled one", rejected: "value 7", cancelled: "value 7") {
      // Fulfilled by the same value where the source is, whichever comes first.
      Promise.any([$0, $0.recover(includingCancellation: true) { _ in 7 }]).map { "\($0)" }
    },
    Row("mapInSeries", fulfilled: "value [1]") { source in
      Promise.mapInSeries([0]) { _ in source }.map { "\($0)" }
    },
    Row("mapInParallel", fulfilled: "value [1, 1]") { source in
      Promise.mapInParallel([0, 0]) { _ in source }.map { "\($0)" }
    },
    Row("reduce") { source in Promise.reduce([0], 0) { _, _ in source }.map { "\($0)" } },
    Row("retry") { source in Promise.retry(attempts: 2) { _ in source }.map { "\($0)" } },
    Row("resolve with another promise") { source in
      Promise { $0.resolve(with: source) }.map { "\($0)" }
    },
    Row("async body that awaits") { source in
      Promise { try await source.value }.map { "\($0)" }
    },
    Row("lazy") { source in Promise<Int>.lazy { $0.resolve(with: source) }.map { "\($0)" } },
    Row("recipe") { source in ColdPromise { source }.then { "\($0)" }.start() },
  ]

  @Test(arguments: rows, [false, true])
  func aFulfilmentFollowsTheTable(_ row: Row, settledBefore: Bool) async throws {
    try await check(row, .fulfilled(1), settledBefore, row.fulfilled)
  }

  @Test(arguments: rows, [false, true])
  func aRejectionFollowsTheTable(_ row: Row, settledBefore: Bool) async throws {
    try await check(row, .rejected(TestError(1)), settledBefore, row.rejected)
  }

  @Test(arguments: rows, [false, true])
  func aCancellationFollowsTheTable(_ row: Row, settledBefore: Bool) async throws {
    try await check(row, .cancelled("why"), settledBefore, row.cancelled)
  }

  // A timer of zero may fire first.
  @Test(arguments: rows.filter { !$0.name.hasPrefix("timeout of nothing") })
  func cancellingTheResultSettlesItAtOnce(_ row: Row) async throws {
    DiagnosticRecorder.install()
    let (promise, resolver) = Promise.make(of: Int.self)
    let result = row.apply(promise)
    result.cancel("enough")
    #expect(result.outcome == .cancelled("enough"))
    resolver.fulfill(1)
  }

  private func check(
    _ row: Row, _ outcome: Outcome<Int>, _ settledBefore: Bool, _ expected: String
  ) async throws {
    DiagnosticRecorder.install()
    let (promise, resolver) = Promise.make(of: Int.self)
    if settledBefore { resolver.resolve(with: outcome) }
    let result = row.apply(promise)
    if !settledBefore {
      // A timer of zero fires before a source that has not settled; the row is about settled ones.
      if row.name.hasPrefix("timeout of nothing") {
        _ = resolver.resolve(with: outcome)
        return
      }
      resolver.resolve(with: outcome)
    }
    #expect(text(try await result.settlement()) == expected)
  }

  private func text(_ outcome: Outcome<String>) -> String {
    switch outcome {
    case .fulfilled(let value): return "value \(value)"
    case .cancelled(let reason): return "cancelled \(reason.message)"
    case .rejected(let error as TestError): return "error \(error.number)"
    case .rejected: return code(outcome).map { "\($0)" } ?? "unknown"
    }
  }
}
