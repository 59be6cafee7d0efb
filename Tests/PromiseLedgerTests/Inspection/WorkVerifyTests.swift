import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// The verification of work.
@Suite(.timeLimit(.minutes(5)))
struct WorkVerifyTests {
  private func ledger(width: Int) throws -> CraftedLedger {
    var ledger = try CraftedLedger()
    try ledger.commit([
      .of(LedgerCreated(formatVersion: 0), on: .numbered(77)),
      .of(SessionOpened.sample(), on: SessionID.numbered(1).entityID),
    ])
    let options = WorkOptions(lane: try WorkLane("l", width: width))
    for number in 1...3 {
      try ledger.commit([
        .of(
          PromiseCreated(
            typeTag: "t", lifetime: .untilSettled, source: .work(.init(kind: "k", options: options))
          ),
          on: PromiseID.numbered(number).entityID)
      ])
    }
    for number in 1...2 {
      try ledger.commit([
        .of(WorkStarted(attempt: 1), on: PromiseID.numbered(number).entityID)
      ])
    }
    return ledger
  }

  private func findings(_ ledger: CraftedLedger) throws -> [VerificationFinding] {
    var findings: [VerificationFinding] = []
    _ = try BlockingInspector(at: ledger.path).verify { findings.append($0) }
    return findings
  }

  @Test func aLaneThatIsTooWideIsAFinding() throws {
    let found = try findings(try ledger(width: 1))
    #expect(found.map(\.subject) == [PromiseID.numbered(2).entityID])
    #expect(found.allSatisfy { $0.message.contains("lane \"l\", whose width is 1") })
  }

  @Test func aLaneOfTheRightWidthIsNone() throws {
    #expect(try findings(try ledger(width: 2)).isEmpty)
  }

  @Test(arguments: [10, 9_000])
  func anErrorOfCodeIsNone(byteCount: Int) async throws {
    let lab = try WorkLedger()
    let ledger = try await lab.open { _, call in
      _ = try call.createPromise(of: Int.self)
      throw Permanent(ScriptedError(text: String(repeating: "x", count: byteCount)))
    }
    let outcome = try await running(LedgerRunner(ledger)) {
      try await ledger.start(ScriptedWork()).outcome
    }
    guard case .rejected = outcome else {
      Issue.record("\(outcome)")
      return
    }
    await ledger.close()
    var findings: [VerificationFinding] = []
    _ = try BlockingInspector(at: lab.temporary.path).verify { findings.append($0) }
    #expect(findings.isEmpty)
  }

  /// Expects that the damaged content of an event is found, also where only a record keeps it.
  private func expectAFinding(of event: NewEvent) throws {
    var ledger = try ledger(width: 2)
    try ledger.commit([event])
    for isCompacted in [false, true] {
      if isCompacted { try ledger.compact() }
      let found = try findings(ledger)
      #expect(found.map(\.subject) == [event.subject], "compacted: \(isCompacted)")
      #expect(found.allSatisfy { $0.severity == .corrupt && $0.message.contains("damaged") })
    }
  }

  /// A rejection with an error that cannot be decoded, in its event or beside it.
  @Test(
    arguments: [PromiseResolved.content(effects: [], then: [1, 2, 3]), [1, 2, 3]], [false, true])
  func aDamagedErrorOfCodeIsAFinding(content: [UInt8], isAttached: Bool) throws {
    let resolved = PromiseResolved(
      outcome: .rejected, resolvedAt: Timestamp(nanosecondsSinceEpoch: 1), attempt: 1,
      content: isAttached ? nil : content)
    var event = NewEvent.of(resolved, on: PromiseID.numbered(1).entityID)
    if isAttached { event.attachment = content }
    try expectAFinding(of: event)
  }

  /// A failed step with a result that cannot be decoded, in its event or beside it.
  @Test(
    arguments: [PromiseResolved.content(effects: [], then: [1, 2, 3]), [1, 2, 3]], [false, true])
  func aDamagedResultOfAStepIsAFinding(content: [UInt8], isAttached: Bool) throws {
    let finished = WorkStepFinished(
      attempt: 1, step: StepIdentity("one"), outcome: .failure, startedAt: .at(9), result: []
    ).detachingContent()
    let id = PromiseID.numbered(1).entityID
    var event = NewEvent.of(finished, on: id)
    if isAttached {
      event.attachment = content
    } else {
      // The first byte says where the content is.
      let payload: [UInt8] = [0] + finished.encoded.dropFirst() + content
      event = .raw(.workStepFinished, on: id, payload: payload)
    }
    try expectAFinding(of: event)
  }

  @Test(arguments: [10, 9_000])
  func anErrorOfAStepIsNone(byteCount: Int) throws {
    let error = StoredError(domain: "shop", message: String(repeating: "x", count: byteCount))
    let finished = WorkStepFinished(
      attempt: 1, step: StepIdentity("one"), outcome: .failure, startedAt: .at(9),
      result: error.encoded)
    let id = PromiseID.numbered(1).entityID
    var event = NewEvent.of(finished, on: id)
    if byteCount > 1_000 {
      event = .of(finished.detachingContent(), on: id)
      event.attachment = try #require(finished.content)
    }
    var ledger = try ledger(width: 2)
    try ledger.commit([event])
    #expect(try findings(ledger).isEmpty)
    try ledger.compact()
    #expect(try findings(ledger).isEmpty)
  }
}
