import LedgerModel
import LedgerRuntime
import LedgerSystem

extension StoreContract {
  /// The rules for the registry of sessions.
  static let sessionRules = [
    Rule("A session is alive until it freezes, and when it comes back") {
      (subject: StoreSubject) in
      let hold = try subject.sessions.begin(.sample(1))
      try requireEqual(subject.findings(1), [.alive], "the finding about an open session")
      try hold.freeze()
      try require(try subject.findings(1) != [.dead], "a frozen session is dead")
      let again = try subject.sessions.begin(.sample(1))
      try requireEqual(subject.findings(1), [.alive], "the finding about a session that is back")
      try requireEqual(subject.sessions.deadSessions(), [], "the dead sessions")
      again.end()
      try requireEqual(subject.sessions.deadSessions(), [], "the dead sessions after its end")
    },
    Rule("Findings are in the order of the sessions") { contract in
      let subject = try contract.makeSubject()
      try requireEqual(subject.findings(), [], "the findings about no session")
      let holds = try [1, 3].map { try subject.sessions.begin(.sample($0)) }
      try requireEqual(
        subject.findings(1, 2, 3), [.alive, contract.findsDeadSessions ? .dead : .alive, .alive],
        "the findings about sessions of which the second never was")
      for hold in holds { hold.end() }
    },
    Rule("Nothing is removed of a session that is alive") { (subject: StoreSubject) in
      let hold = try subject.sessions.begin(.sample(1))
      subject.sessions.removeLeftovers(of: [.sample(1), .sample(2)])
      try requireEqual(subject.findings(1), [.alive], "the finding")
      hold.end()
    },
    Rule("A session that ended or left nothing is dead") { contract in
      guard contract.findsDeadSessions else { return }
      let subject = try contract.makeSubject()
      try subject.sessions.begin(.sample(1)).end()
      try subject.sessions.begin(.sample(2)).freeze()
      subject.sessions.removeLeftovers(of: [.sample(2)])
      try requireEqual(subject.findings(1, 2, 3), [.dead, .dead, .dead], "the findings")
    },
  ]

  /// The rules for a whole ledger on the store.
  static let ledgerRules = [
    Rule("A ledger on the store has the state of one in memory") { contract in
      let storage = LedgerStorage { (_) throws(LedgerError) in try contract.makePlace() }
      let found = try await Self.digests(on: storage)
      let expected = try await Self.digests(on: .memory)
      try requireEqual(found, expected, "the digests of the state")
    },
    Rule("A session sees at once what another one has committed") { contract in
      let storage = LedgerStorage { (_) throws(LedgerError) in try contract.makePlace() }
      try await withLedger(storage) { tester in
        let app = try await tester.app()
        let server = try await tester.appExtension()
        for number in 0..<20 {
          let promise = try await app.ledger.createPromise(of: Int.self)
          try await server.promise(promise).fulfill(number)
          try requireEqual(
            try await promise.record?.status, .resolved, "the status of promise \(number)")
        }
      }
    },
  ]

  /// The digests of the state of a small story: before and after a compaction, and after one more session opened.
  private static func digests(on storage: LedgerStorage) async throws -> [StateDigest] {
    try await withLedger(storage) { tester in
      let app = try await tester.app()
      var digests: [StateDigest] = []
      for number in 0..<30 {
        let promise = try await app.ledger.createPromise(
          key: PromiseKey("promise/\(number)"), of: String.self)
        if number % 2 == 0 {
          try await promise.fulfill(String(repeating: "\(number)", count: 200 * number))
        }
        if number % 4 == 0 { _ = try await promise.consume() }
      }
      digests.append(try await app.ledger.state().digest())
      var policy = CompactionPolicy()
      policy.minimumEventCount = 0
      try await app.ledger.compact(policy)
      digests.append(try await app.ledger.state().digest())
      let other = try await tester.appExtension()
      digests.append(try await other.ledger.state().digest())
      return digests
    }
  }
}

extension StoreSubject {
  fileprivate func findings(_ numbers: Int...) throws -> [SessionFinding] {
    try sessions.findings(of: try numbers.map { try SessionEntity.sample(.sample($0)) })
  }
}

extension SessionEntity {
  /// A session of this process that is open, according to its log.
  fileprivate static func sample(_ id: SessionID) throws -> SessionEntity {
    let opened = SessionOpened(
      role: .app, processID: ThisProcess.id, instance: "", host: "", libraryVersion: "")
    var batch = EventBatch()
    try batch.append(
      NewEvent(
        kind: .sessionOpened, version: 1, time: Timestamp(nanosecondsSinceEpoch: 0),
        subject: id.entityID, payload: opened.encoded, attachment: []))
    let store = InMemoryEventStore()
    _ = try store.append(batch, CommitID(session: id, number: 1), after: .start)
    var session: SessionEntity?
    _ = try store.read(after: .start, limit: 1) { (frame) throws(LedgerError) in
      try frame.forEachEvent(after: .start) { session = try? SessionEntity(creating: $0) }
    }
    guard let session else { throw BrokenRule(message: "there is no session to ask about") }
    return session
  }
}

extension SessionID {
  fileprivate static func sample(_ number: Int) -> SessionID {
    SessionID(entityID: EntityID(high: 6, low: UInt64(number)))
  }
}
