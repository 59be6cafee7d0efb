/// Compacts a damaged ledger, and compares what is in it afterwards.
struct ApplyTrial {
  let sample: Sample
  let bench: Bench
  let answers: Answers

  func run(at path: String) throws -> Trial.Outcome {
    let run = try bench.compact(at: path)
    func outcome(_ verdict: Verdict, _ note: String) -> Trial.Outcome {
      Trial.Outcome(attempt: .apply, verdict: verdict, code: run.status, note: note)
    }
    if run.isEndless || run.childWasEndless { return outcome(.endless, run.notes) }
    if run.status < 0 { return outcome(.crashed, run.notes) }
    if run.childCrashed { return outcome(.writerDied, run.notes) }
    guard run.status == 0 else {
      return outcome(run.status == 5 ? .refused : .wrongCode, run.notes)
    }
    let list = try bench.read(.open, sample, at: path, seed: 0)
    if list.status == 0, !answers.isSameList(list, of: sample) {
      return outcome(.lost, "The list of what is open is not the same.")
    }
    let digest = try bench.digest(sample, at: path)
    if digest.status == 0, !answers.isSameLogDigest(digest, of: sample) {
      return outcome(.lost, "The log digest is not the same: \(digest.text)")
    }
    return outcome(.same, "")
  }
}
