/// Compacts a damaged ledger, and compares its contents afterwards.
struct ApplyTrial {
  let damage: Damage
  let bench: Bench
  let answers: Answers
  /// Whether the ledger is written anew into a smaller file.
  let shrinks: Bool

  private var sample: Sample { damage.sample }

  func run(at path: String) throws -> Trial.Outcome {
    let run = try bench.compact(at: path, shrinks: shrinks)
    func outcome(_ verdict: Verdict, _ note: String) -> Trial.Outcome {
      Trial.Outcome(
        attempt: shrinks ? .shrink : .apply, verdict: verdict, code: run.status, note: note)
    }
    if run.isEndless || run.childWasEndless { return outcome(.endless, run.notes) }
    if run.hasControlCharacters { return outcome(.controls, run.notes) }
    if run.status < 0 { return outcome(.crashed, run.notes) }
    switch (run.status, run.signalOfChild) {
    case (0, nil): break
    case (5, nil): return outcome(.refused, run.notes)
    case (5, let signal?): return outcome(.ended(by: signal, .writerDied), run.notes)
    default: return outcome(.wrongCode, run.notes)
    }
    let (list, _) = try bench.readAlone(.open, sample, at: path, seed: 0)
    if list.status == 0, !answers.isSameList(list, of: sample) {
      return outcome(.lost, "The list of what is open is not the same.")
    }
    let digest = try bench.digest(sample, at: path)
    if digest.status == 0, !answers.isSameLogDigest(digest, of: sample) {
      return outcome(.lost, "The log digest is not the same: \(digest.text)")
    }
    let harm = try Aftermath(damage: damage, bench: bench).harm(at: path, to: [.open, .verify])
    return harm.map { outcome(.damaged, $0) } ?? outcome(.same, "")
  }
}
