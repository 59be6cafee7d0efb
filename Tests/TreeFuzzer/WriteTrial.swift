/// Opens a damaged ledger for writing, and compares its contents afterwards.
struct WriteTrial {
  let damage: Damage
  let bench: Bench
  let answers: Answers

  private var sample: Sample { damage.sample }

  func run(at path: String) throws -> Trial.Outcome {
    let run = try bench.write(at: path)
    let lines = Answers.lines(run.output)
    let positions = lines.filter { $0.hasPrefix("acknowledged ") }
      .compactMap { UInt64($0.dropFirst("acknowledged ".count)) }
    let words = lines.joined(separator: "; ") + run.notes
    func outcome(_ verdict: Verdict, _ note: String = "") -> Trial.Outcome {
      Trial.Outcome(attempt: .write, verdict: verdict, code: run.status, note: words + note)
    }
    if run.isEndless { return outcome(.endless) }
    if positions.contains(where: { $0 <= sample.head }) {
      return outcome(.reused, " (the head was \(sample.head))")
    }
    if !positions.isEmpty, let loss = try loss(at: path, positions) { return outcome(.lost, loss) }
    if run.status < 0 { return outcome(.ended(by: -run.status, .writerDied)) }
    let error = lines.first { $0.hasPrefix("error ") }
    switch run.status {
    case 0 where error == nil:
      let harm = try Aftermath(damage: damage, bench: bench).harm(at: path, to: [.export, .verify])
      return harm.map { outcome(.damaged, $0) } ?? outcome(.same)
    case 1 where error?.hasPrefix("error corrupt") == true: return outcome(.refused)
    default: return outcome(.wrongCode)
    }
  }

  /// The acknowledged events that are missing, if reading finds no problem.
  private func loss(at path: String, _ positions: [UInt64]) throws -> String? {
    let (export, _) = try bench.readAlone(.export, sample, at: path, seed: 0)
    guard export.status == 0 else { return nil }
    let lines = Answers.lines(export.output)
    let expected = answers.exportedLines(of: sample)
    if let index = zip(expected, lines).enumerated().first(where: { $1.0 != $1.1 })?.offset {
      return "\n    line \(index + 1) of the export: \(lines[index].prefix(400))"
    }
    let missing = positions.filter { position in
      !lines.contains { $0.contains("\"type\":\"event\",\"position\":\(position),") }
    }
    return missing.isEmpty ? nil : "\n    no events at \(missing)"
  }
}
