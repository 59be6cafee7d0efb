import LedgerModelTestSupport
import Testing

@testable import LedgerModel

/// Work that is redacted: what is no text and no value stays.
@Suite(.timeLimit(.minutes(5)))
struct RedactedWorkTests {
  private static let redactor = Redactor(salt: [7])
  private static let fact = LedgerEvent.Trace(
    position: Position(rawValue: 5), time: .at(3), session: .numbered(7))
  private static let awaited: [PromiseID] = [.numbered(2), .numbered(3)]
  private static let failures = [WorkReleased.StepFailures(StepIdentity("s"), count: 2)]

  /// Code that waits for a promise and for the next try of a step.
  private static func release(error: StoredError? = nil) -> WorkReleased {
    WorkReleased(
      attempt: 2, reason: .waiting,
      condition: WorkCondition(time: .at(9), promises: [.numbered(3)]), awaited: awaited,
      stepFailures: failures, error: error)
  }

  @Test func theEndOfAnAttemptStaysButForItsError() throws {
    let release = Self.release(error: StoredError(domain: "d", code: 4, message: "secret"))
    let redacted = Self.redactor.redact(
      .workReleased, version: release.version, release.encoded, attachment: [], isJoint: false)
    let read = try WorkReleased(decoding: redacted.payload)
    let error = try #require(read.error)
    #expect(error.domain == "d" && error.code == 4 && error.message.utf8.count == 6)
    #expect(error.message != "secret")
    #expect(read.condition == release.condition)
    #expect(read.awaited == Self.awaited && read.stepFailures == Self.failures)
  }

  /// Every field is set, and every text and value is empty.
  @Test func aRecordWithoutTextsAndValuesStays() throws {
    let creation = PromiseCreated(
      typeTag: "t", lifetime: .untilSettled,
      source: .work(.init(kind: "k", trigger: .now, options: WorkOptions())))
    let finished = WorkStepFinished(
      attempt: 1, step: StepIdentity("f"), outcome: .value, startedAt: .at(2), typeTag: "t",
      result: [])
    let progress = WorkProgress(
      attempt: 2, start: Self.fact, release: .init(fact: Self.fact, event: Self.release()),
      failureCount: 1, deathCount: 2, cancelRequest: .init(fact: Self.fact, reason: ""),
      hasWaited: true, parking: Self.fact, trigger: .at(.at(8)),
      options: WorkOptions(priority: 3, givesUpAfter: .at(7)),
      arguments: BoundArguments(
        arguments: .inline(.none), references: .none, position: Position(rawValue: 6)),
      awaited: Self.awaited,
      steps: [
        WorkStep(fact: Self.fact, finished, payload: finished.encoded, attachmentByteCount: 0)
      ],
      stepFailures: Self.failures, creationAttachmentByteCount: 5_000,
      lastPosition: Position(rawValue: 8), lastTime: .at(4))
    let entity = LedgerEntity.promise(
      PromiseEntity(
        id: .numbered(1), created: Self.fact, creationPayload: creation.encoded, resolution: nil,
        closing: nil, progress: progress))
    #expect(try Self.redactor.redact(entity) == entity)
  }
}
