#if Serve
  import Foundation

  /// Serves a damaged ledger, loads its page, and ends the server.
  struct ServeTrial {
    let damage: Damage
    let bench: Bench
    let answers: Answers

    func run(at path: String) throws -> Trial.Outcome {
      let (run, page) = try bench.serve(path)
      func outcome(_ verdict: Verdict, _ note: String = "") -> Trial.Outcome {
        Trial.Outcome(attempt: .serve, verdict: verdict, code: run.status, note: run.notes + note)
      }
      if run.isEndless || run.childWasEndless { return outcome(.endless) }
      if run.hasControlCharacters { return outcome(.controls) }
      if run.status < 0 { return outcome(.crashed) }
      switch (run.status, run.signalOfChild) {
      case (0, nil): break
      case (5, nil): return outcome(.refused)
      case (5, let signal?): return outcome(.ended(by: signal, .childDied))
      default: return outcome(.wrongCode)
      }
      guard let page else { return outcome(.unmarked, " (the page ended before its end)") }
      return answers.isSamePage(page, of: damage.sample) ? outcome(.same) : outcome(.different)
    }
  }
#endif
