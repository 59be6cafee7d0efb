import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// Settling work in place of its code.
@Suite(.timeLimit(.minutes(5)))
struct ForcedOutcomeTests {
  private static let nine = StoredValue(typeTag: "int", bytes: [57])

  @Test func theResultOfCodeThatRunsIsRefused() async throws {
    let gate = Gate()
    let lab = try WorkLedger()
    let ledger = try await lab.open { _, call in
      await gate.pass()
      _ = try call.createPromise(of: Int.self, key: try PromiseKey("effect"))
      return 1
    }
    let promise = try await running(LedgerRunner(ledger)) {
      // Otherwise, the runner would wait for the code.
      defer { gate.open() }
      let promise = try await ledger.start(ScriptedWork())
      await gate.arrival()
      let other = try await lab.open(as: .operator)
      guard
        case .resolved(let record) = try await other.forceOutcome(
          .fulfilled(Self.nine), of: promise.id)
      else {
        Issue.record("not resolved")
        return promise
      }
      #expect(record.outcome == .fulfilled(Self.nine))
      await other.close()
      return promise
    }
    #expect(try await promise.outcome == .fulfilled(9))
    #expect(try await ledger.record(forKey: try PromiseKey("effect")) == nil)
    await ledger.close()
  }

  @Test func aPromiseHasOneOutcome() async throws {
    let ledger = try await WorkLedger().open()
    let promise = try await ledger.start(ScriptedWork())
    await expectError(.promiseIsComputed) {
      try await ledger.resolve(promise.id, with: .cancelled(reason: "x"))
    }
    #expect(
      try await ledger.forceOutcome(.cancelled(reason: "x"), of: promise.id).isSuccess)
    guard
      case .alreadyResolved = try await ledger.forceOutcome(.fulfilled(Self.nine), of: promise.id)
    else {
      Issue.record("resolved twice")
      return
    }
    #expect(try await promise.outcome == .cancelled(reason: "x"))
    let plain = try await ledger.createPromise(of: Int.self)
    #expect(try await ledger.forceOutcome(.fulfilled(Self.nine), of: plain.id).isSuccess)
    await ledger.close()
  }

  @Test func theValueIsOfThePromisesType() async throws {
    let ledger = try await WorkLedger().open()
    let promise = try await ledger.start(ScriptedWork())
    await expectError(.typeMismatch) {
      try await ledger.forceOutcome(
        .fulfilled(StoredValue(typeTag: "string", bytes: [34, 34])), of: promise.id)
    }
    await expectError(.invalidArgument) {
      try await ledger.forceOutcome(.timedOut, of: promise.id)
    }
    await ledger.close()
  }
}
