/// The checks on whole frames that need no store: order, commits, payloads, references, lifecycles.
struct FrameChecks {
  private let ledgerID: LedgerID
  private var replay: ReplayChecks
  /// Whether no event is missing so far; otherwise replay is meaningless.
  private(set) var isWhole: Bool
  private var lastFrame: FrameHeader?
  private var knownSessions: Set<SessionID> = []
  private var reportedSessions: Set<SessionID> = []
  private var lastCommits: [SessionID: UInt64] = [:]
  private let findings: Findings

  init(ledgerID: LedgerID, _ replay: ReplayChecks, _ findings: Findings) {
    self.ledgerID = ledgerID
    self.findings = findings
    self.replay = replay
    isWhole = replay.canReplay
  }

  /// The last event that was replayed.
  var replayedPosition: Position { replay.position }

  /// Marks that events are missing from here on.
  mutating func loseEvents() {
    isWhole = false
    lastFrame = nil
  }

  /// Announces the next frames, which may be damaged.
  mutating func expect(
    _ frames: [(key: [UInt8], value: [UInt8])]
  ) throws(LedgerError) {
    try replay.expect(frames)
  }

  /// - Parameter tick: Called periodically during long checks.
  mutating func check(_ frame: FrameView, _ tick: () -> Void) {
    let header = frame.header
    checkNumber(header)
    checkCommit(header)
    do throws(LedgerError) {
      try frame.forEachEvent { (event) throws(LedgerError) in try check(event, tick) }
    } catch {
      findings.add(error.message, at: header.firstPosition)
      isWhole = false
    }
    if !header.flags.contains(.commitContinues) { checkSession(header) }
    lastFrame = header
  }

  /// Runs the checks that are possible only at the end of the log.
  mutating func finish() {
    guard let lastFrame, lastFrame.flags.contains(.commitContinues) else { return }
    findings.add("The last commit is incomplete.", at: lastFrame.firstPosition)
  }

  private mutating func checkNumber(_ header: FrameHeader) {
    guard let lastFrame, header.number != lastFrame.number &+ 1 else { return }
    findings.add(
      "The frame has number \(header.number), but the one before it has \(lastFrame.number).",
      at: header.firstPosition)
  }

  // MARK: Commits

  private mutating func checkCommit(_ header: FrameHeader) {
    let (commit, position) = (header.commit, header.firstPosition)
    let continues = header.flags.contains(.continuesCommit)
    if let lastFrame {
      let goesOn = lastFrame.flags.contains(.commitContinues)
      if goesOn != continues || (continues && lastFrame.commit != commit) {
        findings.add("The commit before it is incomplete.", at: position)
      }
    } else if continues, position.rawValue == 1 {
      findings.add("The first commit has no beginning.", at: position)
    }
    guard !continues else { return }
    if commit.number <= lastCommits[commit.session, default: 0] {
      findings.add(
        "Commit \(commit.number) of session \(commit.session) comes after commit \(lastCommits[commit.session, default: 0]).",
        at: position)
    }
    lastCommits[commit.session] = commit.number
  }

  private mutating func checkSession(_ header: FrameHeader) {
    let session = header.commit.session
    guard isWhole, !knownSessions.contains(session),
      !replay.mayHaveWritten(session, at: header.firstPosition),
      reportedSessions.insert(session).inserted
    else { return }
    findings.add(
      "It was written by session \(session), which was never opened.", at: header.firstPosition,
      subject: session.entityID)
  }

  // MARK: Events

  private mutating func check(
    _ event: borrowing EventView, _ tick: () -> Void
  ) throws(LedgerError) {
    if event.kind == .sessionOpened { knownSessions.insert(SessionID(entityID: event.subject)) }
    let misplacement = EventContradiction.ofPlace(
      event.position, kind: event.kind, cause: event.cause)
    if let misplacement {
      add(misplacement, event)
    } else if event.kind == .ledgerCreated, event.subject != ledgerID.entityID {
      add("It created a ledger other than this one, \(ledgerID).", event)
    }
    checkPayload(event)
    guard isWhole else { return }
    // For a second creation, replay would only repeat an existing finding.
    let what = try replay.apply(event, tick)
    if let what, misplacement == nil || event.kind != .ledgerCreated {
      add("It cannot be applied to its subject: \(what).", event)
    }
  }

  private mutating func checkPayload(_ event: borrowing EventView) {
    guard let type = event.kind.payload, event.version > 0,
      event.version <= type.newestVersion
    else {
      return add(
        "Its kind or version is not known to this build: \(event.kind), version \(event.version).",
        event, severity: .unsupported)
    }
    do throws(LedgerError) {
      let payload = try type.init(decoding: event.payloadBytes)
      if let what = EventContradiction.ofKey(event) { add(what, event) }
      let attachable = payload as? any AttachablePayload
      let isDetached = attachable?.isDetached ?? false
      if isDetached != (event.attachmentByteCount > 0) {
        add("The event and its payload disagree on whether a value is stored beside it.", event)
      } else if let resolved = payload as? PromiseResolved, let content = resolved.content {
        try resolved.check(content)
      } else if let finished = payload as? WorkStepFinished, let content = finished.content {
        try finished.check(content)
      }
    } catch {
      add(error.message, event)
    }
  }

  private mutating func add(
    _ message: String, _ event: borrowing EventView,
    severity: VerificationFinding.Severity = .corrupt
  ) {
    findings.add(
      VerificationFinding(
        message, at: event.position, subject: event.subject, severity: severity))
  }
}
