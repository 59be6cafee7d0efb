import LedgerTestSupport
package import PromiseLedger

/// What became of the work of a ledger, according to its log.
package struct WorkAudit: Sendable {
  private let events: [LedgerEvent]
  private let work: [PromiseID: Int]
  /// The number of every chore, also of those that others started.
  private let numbers: [PromiseID: Int]
  private let lanes: [EntityID: WorkLane]

  init(_ inspector: BlockingInspector) throws {
    let events = try inspector.allEvents()
    self.events = events
    var work: [PromiseID: Int] = [:]
    var numbers: [PromiseID: Int] = [:]
    var lanes: [EntityID: WorkLane] = [:]
    for event in events where event.kind == .promiseCreated {
      guard let created = try event.decode(as: PromiseCreated.self), created.work != nil else {
        continue
      }
      let id = PromiseID(entityID: event.subject)
      lanes[event.subject] = created.work?.options.lane
      if let key = created.key, key.hasPrefix("chore/") { work[id] = Int(key.dropFirst(6)) }
      let argument = created.work?.arguments?.arguments.first { $0.name == "number" }
      numbers[id] = argument.flatMap { Int(String(decoding: $0.payload, as: UTF8.self)) }
    }
    self.work = work
    self.numbers = numbers
    self.lanes = lanes
  }

  package var attemptCount: Int { events.count { $0.kind == .workStarted } }

  package var deathCount: Int {
    events.count { event in
      (try? event.decode(as: WorkReleased.self))?.reason == .died
    }
  }

  /// The work of which an attempt was started while another session ran one.
  package var takenOver: Set<PromiseID> {
    var runners: [EntityID: SessionID] = [:]
    var takenOver: Set<PromiseID> = []
    for event in events {
      if event.kind == .workStarted {
        if let runner = runners[event.subject], runner != event.session {
          takenOver.insert(PromiseID(entityID: event.subject))
        }
        runners[event.subject] = event.session
      } else if event.kind == .workReleased || event.kind == .promiseResolved {
        runners[event.subject] = nil
      }
    }
    return takenOver
  }

  package var waitCount: Int {
    events.count { event in
      (try? event.decode(as: WorkReleased.self))?.reason == .waiting
    }
  }

  /// The moments at which more work of a lane ran than it allows.
  private var crowdedLanes: [String] {
    var findings: [String] = []
    var running: [String: Set<EntityID>] = [:]
    for event in events {
      guard let lane = lanes[event.subject] else { continue }
      switch event.kind {
      case .workStarted:
        running[lane.name, default: []].insert(event.subject)
        guard let count = running[lane.name]?.count, count > lane.width else { continue }
        findings.append("\(count) run in \(lane.name) of width \(lane.width) at \(event.position)")
      case .workReleased, .promiseResolved: running[lane.name]?.remove(event.subject)
      default: break
      }
    }
    return findings
  }

  func findings(
    count: Int, _ bodies: [Toil.Moment], _ answers: [Toil.Moment]
  ) -> [String] {
    var findings = crowdedLanes
    if work.count != count { findings.append("\(work.count) of \(count) chores were started") }
    var made: [String: Int] = [:]
    var settled: [PromiseID: Int] = [:]
    var keptAt: [String: Timestamp] = [:]
    var runners: [EntityID: SessionID] = [:]
    for (index, event) in events.enumerated() {
      if event.position.rawValue != UInt64(index + 1) { return ["a gap at \(event.position)"] }
      switch event.kind {
      case .promiseCreated:
        if let label = try? event.decode(as: PromiseCreated.self)?.label {
          made[label, default: 0] += 1
        }
      case .workStarted: runners[event.subject] = event.session
      case .workStepFinished:
        if runners[event.subject] != event.session {
          findings.append("another session ended a step at \(event.position)")
        }
        guard let number = numbers[PromiseID(entityID: event.subject)],
          let finished = try? event.decode(as: WorkStepFinished.self)
        else { return ["a step of no chore at \(event.position)"] }
        let name = "\(number) \(finished.step)"
        if keptAt[name] != nil { findings.append("step \(name) was kept twice") }
        keptAt[name] = event.time
      case .promiseResolved:
        if (try? event.decode(as: PromiseResolved.self))?.attempt != nil,
          runners[event.subject] != event.session
        {
          findings.append("another session ended an attempt at \(event.position)")
        }
        settled[PromiseID(entityID: event.subject), default: 0] += 1
      default: break
      }
    }
    // The process that lost an attempt learns of it only at the end of the body that it runs.
    let left = Set(takenOver.compactMap { numbers[$0] })
    for body in bodies where !left.contains(body.number) {
      if let time = keptAt[body.name], body.time > time {
        findings.append("the body of step \(body.name) ran after its result was kept")
      }
    }
    // If the process is killed before the commit, a later attempt keeps the step.
    for answer in answers where keptAt[answer.name].map({ answer.time < $0 }) ?? true {
      findings.append("step \(answer.name) returned before its result was kept")
    }
    for (id, number) in numbers.sorted(by: { $0.value < $1.value }) {
      let settlements = settled[id] ?? 0
      if settlements != 1 { findings.append("chore \(number) was settled \(settlements) times") }
      for name in ["", " first", " second", " third"] {
        let count = made["made \(number)\(name)"] ?? 0
        guard count != 1 else { continue }
        findings.append("the effect \(number)\(name) happened \(count) times")
      }
    }
    return Array(findings.prefix(20))
  }
}
