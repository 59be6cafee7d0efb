import LedgerTreeSupport

/// Everything that is tried on one damaged file.
struct Trial {
  struct Outcome {
    let attempt: Attempt
    let verdict: Verdict
    let code: Int32
    let note: String
  }

  let damage: Damage
  let bench: Bench
  let answers: Answers

  /// Tries some of the verbs, and writing, if wanted.
  func run(_ attempts: [Attempt]) throws -> [Outcome] {
    var outcomes: [Outcome] = []
    let path = try bench.prepare(damage.file, of: damage.sample)
    for case .read(let verb) in attempts { outcomes.append(try read(verb, path)) }
    judgeVerification(&outcomes)
    if attempts.contains(.write) {
      let trial = WriteTrial(damage: damage, bench: bench, answers: answers)
      outcomes.append(try trial.run(at: path))
    }
    for attempt in [Attempt.apply, .shrink] where attempts.contains(attempt) {
      let path = try bench.prepare(damage.file, of: damage.sample)
      let trial = ApplyTrial(
        damage: damage, bench: bench, answers: answers, shrinks: attempt == .shrink)
      outcomes.append(try trial.run(at: path))
    }
    if attempts.contains(.salvage) {
      let path = try bench.prepare(damage.file, of: damage.sample)
      let trial = SalvageTrial(damage: damage, bench: bench, answers: answers)
      outcomes.append(try trial.run(at: path))
    }
    #if Serve
      if attempts.contains(.serve) {
        let path = try bench.prepare(damage.file, of: damage.sample)
        let trial = ServeTrial(damage: damage, bench: bench, answers: answers)
        outcomes.append(try trial.run(at: path))
      }
    #endif
    return outcomes
  }

  private func read(_ verb: Verb, _ path: String) throws -> Outcome {
    let run: ProgramRun
    let verdict: Verdict
    // The command does the same with every file: a share of the seeds is enough for it.
    if damage.seed % 8 == 0 {
      run = try bench.read(verb, damage.sample, at: path, seed: damage.seed)
      verdict = self.verdict(of: verb, run)
    } else {
      let isWhole: Bool
      (run, isWhole) = try bench.readAlone(verb, damage.sample, at: path, seed: damage.seed)
      verdict = self.verdict(of: verb, run, isAlone: true, isWhole: isWhole)
    }
    return Outcome(
      attempt: .read(verb), verdict: verdict, code: run.status,
      note: verdict == .different ? answers.difference(verb, run, damage) : run.notes)
  }

  private func verdict(
    of verb: Verb, _ run: ProgramRun, isAlone: Bool = false, isWhole: Bool = true
  ) -> Verdict {
    if run.isEndless || run.childWasEndless { return .endless }
    if run.hasControlCharacters { return .controls }
    if run.status < 0 { return isAlone ? .ended(by: -run.status, .childDied) : .crashed }
    if let signal = run.signalOfChild {
      guard run.status == 5 else { return .wrongCode }
      return verb.isMarked(run, hasEnded: false) ? .ended(by: signal, .childDied) : .unmarked
    }
    switch run.status {
    case _ where !isWhole: return .wrongCode
    case verb.fineStatuses: return answers.isSame(verb, run, damage) ? .same : .different
    case 5: return verb.isMarked(run, hasEnded: true) ? .refused : .unmarked
    default: return .wrongCode
    }
  }

  /// `verify` has to find all damage that makes another verb fail or answer wrongly.
  private func judgeVerification(_ outcomes: inout [Outcome]) {
    guard
      let index = outcomes.firstIndex(where: {
        $0.attempt == .read(.verify) && $0.verdict == .same
      }), let other = outcomes.first(where: { $0.verdict != .same })
    else { return }
    outcomes[index] = Outcome(
      attempt: .read(.verify), verdict: .missed, code: 0,
      note: "\(other.attempt.name) is \(other.verdict.rawValue): \(other.note)")
  }
}
