import Foundation

/// Makes a ledger of the intact rest of a damaged one, and reads it.
struct SalvageTrial {
  let damage: Damage
  let bench: Bench
  let answers: Answers

  private var sample: Sample { damage.sample }

  func run(at path: String) throws -> Trial.Outcome {
    let destination = path + ".salvaged"
    let loose = destination + ".loose.jsonl"
    defer { Self.remove([destination, loose]) }
    let before = try Data(contentsOf: URL(fileURLWithPath: path + Sample.dataFile))
    let run = try bench.salvage(path, to: destination)
    func outcome(_ verdict: Verdict, _ note: String = "") -> Trial.Outcome {
      Trial.Outcome(attempt: .salvage, verdict: verdict, code: run.status, note: run.notes + note)
    }
    if run.isEndless || run.childWasEndless { return outcome(.endless) }
    if run.hasControlCharacters { return outcome(.controls) }
    if run.status < 0 { return outcome(.crashed) }
    guard try Data(contentsOf: URL(fileURLWithPath: path + Sample.dataFile)) == before else {
      return outcome(.damaged, " (the data file was changed)")
    }
    switch (run.status, run.signalOfChild) {
    case (0, nil), (1, nil): break
    case (5, nil): return outcome(.refused)
    case (5, let signal?): return outcome(.ended(by: signal, .childDied))
    default: return outcome(.wrongCode)
    }
    let (verification, _) = try bench.readAlone(.verify, sample, at: destination, seed: 0)
    guard verification.status == 0 else {
      return outcome(.wrongCode, " (the new ledger: \(verification.text)\(verification.notes))")
    }
    guard run.status == 0 else { return outcome(.refused) }
    let digest = try bench.digest(sample, at: destination)
    guard digest.status == 0, answers.isSameLogDigest(digest, of: sample) else {
      return outcome(.lost, " (although nothing was said to be lost: \(digest.text))")
    }
    return outcome(.same)
  }

  private static func remove(_ paths: [String]) {
    for path in paths { try? FileManager.default.removeItem(atPath: path) }
  }
}
