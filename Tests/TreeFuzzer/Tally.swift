/// How often each attempt came to each verdict.
struct Tally: Sendable {
  private struct Key: Hashable {
    let attempt: Attempt
    let verdict: Verdict
  }

  private var counts: [Key: Int] = [:]
  /// By kind of damage: how many there were, and how many ended a process in LMDB.
  private var kinds: [Damage.Kind: (count: Int, deaths: Int)] = [:]
  private var places: [String: Int] = [:]
  /// The exit codes of the verbs that were wrong.
  private var codes: [Int32: Int] = [:]
  private(set) var findings: [String] = []
  private(set) var seedCount = 0

  mutating func count(_ damage: Damage, _ outcomes: [Trial.Outcome]) {
    seedCount += 1
    places[damage.place.map { "\($0.tree) \($0.kind.rawValue)" } ?? "file", default: 0] += 1
    for outcome in outcomes {
      counts[Key(attempt: outcome.attempt, verdict: outcome.verdict), default: 0] += 1
      if outcome.verdict == .wrongCode { codes[outcome.code, default: 0] += 1 }
      guard !outcome.verdict.isAllowed else { continue }
      let note = outcome.note.trimmingSuffix(while: \.isNewline)
      findings.append(
        "\(outcome.verdict.rawValue): \(outcome.attempt.name) (\(outcome.code)), \(damage.description)\n    \(note)"
      )
    }
    let hasDeath = outcomes.contains { [.childDied, .writerDied].contains($0.verdict) }
    kinds[damage.kind, default: (0, 0)].count += 1
    kinds[damage.kind, default: (0, 0)].deaths += hasDeath ? 1 : 0
  }

  mutating func add(_ other: Tally) {
    seedCount += other.seedCount
    counts.merge(other.counts, uniquingKeysWith: +)
    kinds.merge(other.kinds) { ($0.count + $1.count, $0.deaths + $1.deaths) }
    places.merge(other.places, uniquingKeysWith: +)
    codes.merge(other.codes, uniquingKeysWith: +)
    findings += other.findings
  }

  // MARK: Tables

  var description: String {
    [verbs, deaths, damages, pages, findingCounts].joined(separator: "\n\n")
  }

  private func count(_ attempt: Attempt, _ verdict: Verdict) -> Int {
    counts[Key(attempt: attempt, verdict: verdict)] ?? 0
  }

  private var verbs: String {
    let verdicts = Verdict.allCases.filter { verdict in
      counts.keys.contains { $0.verdict == verdict }
    }
    let rows = Attempt.all.map { attempt in
      [attempt.name, "\(Verdict.allCases.map { count(attempt, $0) }.reduce(0, +))"]
        + verdicts.map { "\(count(attempt, $0))" }
    }
    return Self.table([["", "runs"] + verdicts.map(\.rawValue)] + rows)
  }

  private func sum(_ attempts: [Attempt], _ verdicts: [Verdict]) -> Int {
    attempts.flatMap { attempt in verdicts.map { count(attempt, $0) } }.reduce(0, +)
  }

  /// How often LMDB ended a process.
  private var rates: [DeathRate] {
    let readers = Verb.allCases.map(Attempt.read)
    let writers = [Attempt.write, .apply, .shrink]
    return [
      DeathRate(
        name: "readers", deaths: sum(readers, [.childDied]), runs: sum(readers, Verdict.allCases)),
      DeathRate(
        name: "writers", deaths: sum(writers, [.writerDied]), runs: sum(writers, Verdict.allCases)),
    ]
  }

  /// Whether LMDB met so much damage that its pages cannot have been checked before.
  var hasTooManyDeaths: Bool { rates.contains(where: \.isTooHigh) }

  private var deaths: String {
    "Processes that ended in LMDB\n" + rates.map(\.description).joined(separator: "\n")
  }

  private var damages: String {
    Self.table(
      [["damage", "seeds", "with deaths"]]
        + Damage.Kind.allCases.map { kind in
          let (count, deaths) = kinds[kind] ?? (0, 0)
          return [kind.rawValue, "\(count)", "\(deaths)"]
        })
  }

  private var pages: String {
    Self.table(
      [["page", "seeds"]] + places.sorted { $0.key < $1.key }.map { [$0.key, "\($0.value)"] })
  }

  private var findingCounts: String {
    let wrong = codes.sorted { $0.key < $1.key }.map { "code \($0.key): \($0.value)" }
    return "\(seedCount) seeds, \(findings.count) findings"
      + (wrong.isEmpty ? "" : " (" + wrong.joined(separator: ", ") + ")")
  }

  private static func table(_ rows: [[String]]) -> String {
    let widths = (0..<(rows.first?.count ?? 0)).map { column in
      rows.map { $0[column].count }.max() ?? 0
    }
    return rows.map { row in
      row.enumerated().map { column, text in
        let padding = String(repeating: " ", count: widths[column] - text.count)
        return column == 0 ? text + padding : padding + text
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }
}

extension String {
  fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> String {
    var text = self[...]
    while let last = text.last, predicate(last) { text.removeLast() }
    return String(text)
  }
}
