/// What writing to a damaged ledger left of it.
struct Aftermath {
  let damage: Damage
  let bench: Bench

  /// Looks for what could be read before the writing, and cannot be read any more.
  ///
  /// Damage that a verb found before is not held against the writing: it may be anywhere, also where
  /// a writer does not look. Only what `export` printed before it came to that must still be there.
  ///
  /// - Returns: What was harmed; `nil` if nothing was.
  func harm(at path: String, to verbs: [Verb]) throws -> String? {
    for verb in verbs {
      let (after, isWhole) = try bench.readAlone(verb, damage.sample, at: path, seed: 0)
      guard after.status != 0 else { continue }
      let copy = try bench.prepare(damage.file, of: damage.sample, as: "before")
      let (before, wasWhole) = try bench.readAlone(verb, damage.sample, at: copy, seed: 0)
      let change = "\n    \(verb.rawValue) was \(before.status), and is \(after.status) after"
      if before.status == 0 { return "\(change): \(after.notes)" }
      guard verb == .export, isWhole, wasWhole else { continue }
      if !after.output.starts(with: before.output) { return "\(change), with another beginning" }
    }
    return nil
  }
}
