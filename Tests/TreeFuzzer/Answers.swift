import Foundation

/// The verbs' answers about the intact samples.
struct Answers: Sendable {
  private struct Question: Hashable {
    let sample: String
    let verb: Verb
    let subject: Int
  }

  private let contents: [Question: [UInt8]]
  #if Serve
    /// The pages of `serve`, by sample.
    private var pages: [String: [UInt8]] = [:]
  #endif

  /// Asks everything twice, with the command and with its child alone: answers that differ cannot be compared.
  init(of samples: [Sample], _ bench: Bench) throws {
    var contents: [Question: [UInt8]] = [:]
    for sample in samples {
      let path = try bench.prepare(sample.file, of: sample)
      for verb in Verb.allCases {
        for seed in 0..<UInt64(max(1, verb.subjects(of: sample).count)) {
          let run = try bench.read(verb, sample, at: path, seed: seed)
          let (again, isWhole) = try bench.readAlone(verb, sample, at: path, seed: seed)
          let answer = verb.content(of: run)
          guard verb.fineStatuses.contains(run.status), again.status == run.status, isWhole,
            verb.content(of: again) == answer
          else {
            throw Unsteady(
              description:
                "\(verb.rawValue) of \(sample.name): \(run.notes)\(run.text)\(again.notes)")
          }
          contents[Question(sample: sample.name, verb: verb, subject: Int(seed))] = answer
        }
      }
    }
    self.contents = contents
    #if Serve
      for sample in samples { pages[sample.name] = try Self.page(of: sample, bench) }
    #endif
  }

  /// A verb gives different answers about the same ledger, or fails.
  struct Unsteady: Error, CustomStringConvertible {
    let description: String
  }

  #if Serve
    private static func page(of sample: Sample, _ bench: Bench) throws -> [UInt8] {
      let path = try bench.prepare(sample.file, of: sample)
      let (run, page) = try bench.serve(path)
      let (again, other) = try bench.serve(path)
      guard run.status == 0, again.status == 0, let page = page.map(Verb.withoutFacts(ofPage:)),
        page == other.map(Verb.withoutFacts(ofPage:))
      else {
        throw Unsteady(description: "serve of \(sample.name): \(run.notes)\(again.notes)")
      }
      return page
    }

    func isSamePage(_ page: [UInt8], of sample: Sample) -> Bool {
      Verb.withoutFacts(ofPage: page) == pages[sample.name]
    }
  #endif

  private func content(_ verb: Verb, _ sample: Sample, seed: UInt64) -> [UInt8] {
    let subject = verb.subject(of: sample, seed: seed)
    return contents[Question(sample: sample.name, verb: verb, subject: subject)] ?? []
  }

  func isSame(_ verb: Verb, _ run: ProgramRun, _ damage: Damage) -> Bool {
    verb.content(of: run) == content(verb, damage.sample, seed: damage.seed)
  }

  /// The first lines that are not the same.
  func difference(_ verb: Verb, _ run: ProgramRun, _ damage: Damage) -> String {
    let expected = Self.lines(content(verb, damage.sample, seed: damage.seed))
    let actual = Self.lines(verb.content(of: run))
    let index = zip(expected, actual).prefix { $0 == $1 }.count
    func line(_ lines: [Substring]) -> String {
      index < lines.count ? String(lines[index].prefix(400)) : "nothing"
    }
    return
      "line \(index + 1) of \(actual.count) (\(expected.count)): \(line(actual))\n    instead of: \(line(expected))"
  }

  /// The lines of the export of a sample, without the last, which new events change.
  func exportedLines(of sample: Sample) -> [Substring] {
    Self.lines(content(.export, sample, seed: 0)).dropLast()
  }

  /// Whether the entities that are open after a compaction are those that were open in the intact
  /// sample.
  func isSameList(_ run: ProgramRun, of sample: Sample) -> Bool {
    run.output == content(.open, sample, seed: 0)
  }

  /// Whether the log digest is that of the intact sample; the state may no longer be known.
  func isSameLogDigest(_ run: ProgramRun, of sample: Sample) -> Bool {
    func digest(_ bytes: [UInt8]) -> Substring? {
      Self.lines(bytes).first { $0.hasPrefix("log digest") }?.split(separator: " ").last
    }
    return digest(run.output) == digest(content(.digest, sample, seed: 0))
  }

  static func lines(_ bytes: [UInt8]) -> [Substring] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }
}
