import LedgerLMDB
import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

@Suite(.timeLimit(.minutes(10)))
struct VerifyTests {
  private static let opening: [NewEvent] = [
    .of(LedgerCreated(formatVersion: 0), on: .numbered(77)),
    .of(SessionOpened.sample(), on: SessionID.numbered(1).entityID),
  ]
  private static let promise = PromiseID.numbered(1).entityID
  private static let created = NewEvent.of(PromiseCreated(typeTag: "text"), on: promise)

  private static func resolved(
    _ outcome: PromiseOutcomeKind = .fulfilled, content: [UInt8]? = [1]
  ) -> NewEvent {
    .of(
      PromiseResolved(outcome: outcome, resolvedAt: .at(9), idempotencyKey: nil, content: content),
      on: promise)
  }

  private func findings(_ path: String) throws -> [VerificationFinding] {
    var findings: [VerificationFinding] = []
    _ = try BlockingInspector(at: path).verify { findings.append($0) }
    return findings
  }

  @Test func healthyLedgerHasNoFindings() async throws {
    let temporary = try TemporaryLedger()
    for name in ["one", "two"] {
      var configuration = LedgerConfiguration()
      configuration.instance = name
      let app = try await temporary.open(as: .app, configuration: configuration)
      let keyed = try await app.findOrCreatePromise(key: PromiseKey("shared"), of: [UInt8].self)
      _ = try await keyed.fulfill([UInt8](repeating: 1, count: 9_000))
      let failed = try await app.createPromise(of: Int.self)
      try await failed.reject(
        StoredError(domain: "d", message: String(repeating: "long ", count: 2_000)))
      let timer = try await app.createTimer(until: .at(1))
      try await timer.abandon(reason: "over")
      try await app.freeze()
      try await app.unfreeze()
      await app.close()
    }
    let inspector = try BlockingInspector(at: temporary.path)
    let summary = try inspector.verify { Issue.record("\($0)") }
    #expect(summary.logDigest == (try inspector.logDigest()))
    #expect(summary.checkedThrough == (try inspector.head))
    #expect(summary.attachmentCount == 3)
    #expect(summary.eventCount == Int(try inspector.head.rawValue))
  }

  @Test func emptyLogHasNoFindings() throws {
    let ledger = try CraftedLedger()
    #expect(try findings(ledger.path) == [])
  }

  @Test(arguments: [
    (
      [resolved()],
      "be applied to its subject: promiseResolved of a promise that was never created"
    ),
    (
      [created, created], "be applied to its subject: promiseCreated of a promise that is pending"
    ),
    ([created, resolved(.rejected)], "error is damaged"),
    (
      [created, resolved(content: nil)], "disagree on whether a value is stored"
    ),
    (
      [created, .raw(.promiseAbandoned, on: promise, payload: [9, 9, 9])],
      "promiseAbandoned event is damaged"
    ),
    (
      [.of(PromiseCreated(typeTag: "text", key: "other"), on: promise)],
      "does not follow from its key"
    ),
    (
      [.of(LedgerCreated(formatVersion: 0), on: .numbered(77))],
      "A ledgerCreated event cannot be at position 3"
    ),
    (
      [.of(SessionFrozen(), on: SessionID.numbered(2).entityID)],
      "be applied to its subject: sessionFrozen of a session that was never opened"
    ),
    (
      [
        NewEvent(
          kind: .promiseCreated, version: 1, time: .at(1), subject: promise,
          cause: Position(rawValue: 3), payload: PromiseCreated(typeTag: "text").encoded)
      ], "Its cause is at position 3, which does not come before it"
    ),
  ])
  func nonsenseIsFound(events: [NewEvent], message: String) throws {
    var ledger = try CraftedLedger()
    try ledger.commit(Self.opening + events)
    let findings = try findings(ledger.path)
    #expect(findings.count == 1)
    #expect(findings.first?.message.contains(message) == true, "\(findings)")
    #expect(findings.first?.position?.rawValue == UInt64(2 + events.count))
    #expect(findings.first?.severity == .corrupt)
  }

  @Test(arguments: [
    NewEvent.raw(EventKind(rawValue: 999), on: promise),
    .raw(.promiseCreated, version: 3, on: promise),
  ])
  func unknownEventsAreNoDamage(event: NewEvent) throws {
    var ledger = try CraftedLedger()
    try ledger.commit(Self.opening + [event])
    let findings = try findings(ledger.path)
    #expect(findings.map(\.severity) == [.unsupported])
    #expect(findings.first?.subject == Self.promise)
  }

  @Test func commitsOfAStrangerAndOutOfOrderAreFound() throws {
    var ledger = try CraftedLedger()
    try ledger.commit(Self.opening)
    try ledger.commit([Self.created], by: .numbered(9))
    let strange = try findings(ledger.path)
    #expect(
      strange.map(\.message) == [
        "It was written by session \(SessionID.numbered(9)), which was never opened."
      ])
    ledger.restartCommits()
    try ledger.commit([Self.resolved()])
    let last = try #require(try findings(ledger.path).last)
    #expect(last.message.hasPrefix("Commit 1 of session \(SessionID.numbered(1)) comes after"))
    #expect(last.position == Position(rawValue: 4))
  }

  // MARK: Commits

  /// Changes the last frame, whose checksum is right again.
  private func changeLastFrame(
    of ledger: CraftedLedger, _ change: (inout [UInt8]) -> Void
  ) throws {
    let frame = try #require(try ledger.frames().last)
    let key = frame.key
    var bytes = frame.bytes
    change(&bytes)
    let checksum = FrameView.checksum(of: bytes.span, key: key)
    for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: checksum >> (8 * index)) }
    let changed = bytes
    try ledger.edit { transaction, log, _ in
      try transaction.put(changed.span, forKey: key, in: log)
    }
  }

  @Test func aLastCommitThatIsIncompleteIsFound() throws {
    let ledger = try CraftedLedger.sample()
    // The flag says that the commit continues.
    try changeLastFrame(of: ledger) { $0[18] |= 1 }
    #expect(try findings(ledger.path).map(\.message).contains("The last commit is incomplete."))
  }

  @Test func aFrameOfAnotherCommitInsideACommitIsFound() throws {
    let ledger = try CraftedLedger.sample()
    // The number of the commit.
    try changeLastFrame(of: ledger) { $0[40] += 1 }
    let messages = try findings(ledger.path).map(\.message)
    #expect(messages.contains("The commit before it is incomplete."))
  }

  // MARK: Damage of the store

  @Test func lostFrameIsFoundAndTheRestIsStillRead() throws {
    let ledger = try CraftedLedger.sample()
    try ledger.edit { transaction, log, _ in try transaction.delete(forKey: 8, in: log) }
    let findings = try findings(ledger.path)
    #expect(
      findings.map(\.message).contains(
        "Events are missing: after position 7 the next frame begins at 10."))
    let summary = try BlockingInspector(at: ledger.path).verify { _ in }
    #expect(summary.eventCount == 108)
    #expect(summary.checkedThrough == Position(rawValue: 7))
    #expect(summary.logDigest == nil)
  }

  @Test func lostChunkIsFound() throws {
    let ledger = try CraftedLedger.sample()
    try ledger.edit { transaction, _, blob in
      let key = Chunk.key(Position(rawValue: 7), 1)
      _ = try transaction.delete(forKey: key.span, in: blob)
    }
    let finding = try #require(try findings(ledger.path).first)
    #expect(finding.message.hasPrefix("Chunk 1 of the value stored at position 7 is damaged"))
  }

  @Test(arguments: [(7, 3), (8, 0), (400, 0)])
  func chunkWithoutAnOwnerIsFound(position: Int, number: Int) throws {
    let ledger = try CraftedLedger.sample()
    try ledger.edit { transaction, _, blob in
      let key = Chunk.key(Position(rawValue: UInt64(position)), number)
      try transaction.put([1, 2, 3].span, forKey: key.span, in: blob)
    }
    let message = "Chunk \(number) of a large value belongs to no event."
    #expect(try findings(ledger.path).filter { $0.message == message }.count == 1)
  }

  @Test func frameOfAnotherPlaceIsFound() throws {
    let ledger = try CraftedLedger.sample()
    let frame = try #require(try ledger.frames().first { $0.key == 7 })
    try ledger.edit { transaction, log, _ in
      try transaction.put(frame.bytes.span, forKey: 8, in: log)
    }
    let finding = try #require(try findings(ledger.path).first)
    #expect(finding.message.contains("its checksum does not match"))
    #expect(finding.position == Position(rawValue: 8))
  }

  @Test func aDamagedTextOfACreationIsFound() throws {
    var payload = PromiseCreated(typeTag: "text", label: "name").encoded
    let text = try #require(payload.firstRange(of: Array("name".utf8)))
    payload[text.lowerBound] = 0xFF
    var ledger = try CraftedLedger()
    try ledger.commit(Self.opening)
    try ledger.commit([.raw(.promiseCreated, on: Self.promise, payload: payload)])
    for isCompacted in [false, true] {
      if isCompacted { try ledger.compact() }
      #expect(
        try findings(ledger.path).map(\.subject) == [Self.promise], "compacted: \(isCompacted)")
    }
  }

  @Test func aDamagedReportBesideItsEventIsFound() throws {
    let handler = HandlerID.numbered(1).entityID
    let call = CallID.numbered(1)
    let started = HandlerCallStarted(
      call: call, attempt: 1, references: .none, arguments: StoredArguments.none)
    let report = HandlerCallFinished.Report(result: .void)
    let end = HandlerCallFinished.End(call: call, attempt: 1, report: report)
    var finished = NewEvent.of(HandlerCallFinished(end).detachingContent(), on: handler)
    finished.attachment = [1, 2, 3]
    var ledger = try CraftedLedger()
    try ledger.commit(Self.opening)
    try ledger.commit([
      .of(HandlerCreated(handlerKind: "greet", arguments: StoredArguments.none), on: handler),
      .of(started, on: handler),
    ])
    try ledger.commit([finished])
    for isCompacted in [false, true] {
      if isCompacted { try ledger.compact() }
      let found = try findings(ledger.path)
      #expect(found.map(\.subject) == [handler], "compacted: \(isCompacted)")
      #expect(found.allSatisfy { $0.message.hasPrefix("A stored report of a call is damaged") })
    }
  }
}
