import Foundation
import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import PromiseLedger

/// Times and answers as a program writes them.
@Suite(.timeLimit(.minutes(5)))
struct DeadlineWordsTests {
  private let temporary: TemporaryLedger

  init() throws { temporary = try TemporaryLedger() }

  @Test func aDeadlineIsWrittenAsItIsSpoken() async throws {
    let before = Timestamp.now
    let ledger = try await temporary.open()
    let soon = try await ledger.createPromise(of: Int.self, deadline: .now + .seconds(3_600))
    let later: DurablePromise<Int> = try await ledger.createPromise(
      deadline: .after(.seconds(7_200)))
    let dated = try await ledger.createPromise(
      of: Int.self, deadline: Timestamp(Date(timeIntervalSinceNow: 10_800)))
    for (promise, hours) in [(soon, 1), (later, 2), (dated, 3)] {
      let deadline = try #require(try await promise.record?.deadline)
      let slack = deadline - before - .seconds(hours * 3_600)
      #expect(slack > .seconds(-1) && slack < .seconds(60), "\(hours)")
    }
    await ledger.close()
  }

  @Test(
    arguments: [
      (0, 0), (1.5, 1_500_000_000), (-1.5, -1_500_000_000), (-0.25, -250_000_000),
      (1_769_860_800.125, 1_769_860_800_125_000_000), (1e30, .max), (-1e30, .min),
      (.infinity, .max), (-.infinity, .min), (.nan, 978_307_200_000_000_000),
    ] as [(TimeInterval, Int64)])
  func aDateBecomesATime(seconds: TimeInterval, nanoseconds: Int64) {
    #expect(Timestamp(Date(timeIntervalSince1970: seconds)) == .at(nanoseconds))
  }

  @Test(arguments: [0, 1_500_000_000, -1_500_000_000, 1_769_860_800_125_000_000] as [Int64])
  func aTimeBecomesADate(nanoseconds: Int64) {
    let date = Date(Timestamp.at(nanoseconds))
    #expect(date.timeIntervalSince1970 == Double(nanoseconds) / 1e9)
    #expect(Timestamp(date) == .at(nanoseconds))
  }

  @Test func aTimerIsFoundByItsKey() async throws {
    let key = try PromiseKey("reminder")
    let ledger = try await temporary.open()
    let deadline = Timestamp.now + .seconds(3_600)
    let timer = try await ledger.createTimer(key: key, until: deadline, label: "Tea")
    #expect(timer.id == key.promiseID)
    let again = try await ledger.createTimer(key: key, until: deadline + .seconds(1))
    #expect(again == timer)
    let record = try #require(try await again.record)
    #expect(record.deadline == deadline && record.deadlineEffect == .fulfils)
    #expect(record.label == "Tea")
    await expectError(.conflict) {
      _ = try await ledger.createTimer(
        key: key, until: deadline, idempotencyKey: IdempotencyKey("another"))
    }
    await ledger.close()
  }

  @Test func anAnswerForAPromiseThatIsNotThereIsReported() async throws {
    let log = AwaitedLog()
    var configuration = LedgerConfiguration()
    configuration.logger = log.logger
    let ledger = try await temporary.open(configuration: configuration)
    let promise = try ledger.promise(id: .numbered(1), of: Int.self)
    #expect(try await promise.fulfill(1) == .notFound)
    #expect(log.warnings.filter { $0.contains("promise to be resolved") }.count == 1)
    let there = try await ledger.createPromise(of: Int.self)
    try await there.fulfill(1)
    try await there.fulfill(2)
    #expect(log.warnings.filter { $0.contains("promise to be resolved") }.count == 1)
    await ledger.close()
  }

  @Test func aConflictNamesKeyAndLabel() async throws {
    let ledger = try await temporary.open()
    let key = try PromiseKey("avatar/room")
    _ = try await ledger.createPromise(
      key: key, of: Int.self, label: "Remove the avatar", idempotencyKey: IdempotencyKey("1"))
    let error = await #expect(throws: LedgerError.self) {
      _ = try await ledger.createPromise(
        key: key, of: Int.self, idempotencyKey: IdempotencyKey("2"))
    }
    #expect(error?.code == .conflict)
    #expect(
      error?.message.hasPrefix(
        #"Promise \#(key.promiseID) (key "avatar/room", "Remove the avatar") was created by"#)
        == true)
    await ledger.close()
  }

  @Test func creatingAnExistingPromiseReportsIt() async throws {
    let ledger = try await temporary.open()
    let key = try PromiseKey("avatar/room")
    let first = try await ledger.createPromiseIfAbsent(
      key: key, of: Int.self, idempotencyKey: IdempotencyKey("1"))
    guard case .created(let promise) = first else { return #expect(Bool(false), "\(first)") }
    let again = try await ledger.createPromiseIfAbsent(
      key: key, of: Int.self, idempotencyKey: IdempotencyKey("1"))
    guard case .deduplicated(promise, let record) = again else {
      return #expect(Bool(false), "\(again)")
    }
    let other = try await ledger.createPromiseIfAbsent(
      key: key, of: Int.self, idempotencyKey: IdempotencyKey("2"))
    guard case .conflict(record) = other else { return #expect(Bool(false), "\(other)") }
    #expect(throws: LedgerError.self) { try other.promise }
    #expect(
      try await ledger.createPromise(key: key, idempotencyKey: IdempotencyKey("1")) == promise)
    await ledger.close()
  }
}
