/// The state of a damaged ledger after writing to it.
struct Aftermath {
  let damage: Damage
  let bench: Bench

  /// Searches for data that was readable before the writing and no longer is.
  ///
  /// Damage that a verb found before is not blamed on the writing: it may be anywhere, even where a
  /// writer does not look. Only the output of `export` before it reached that damage must still be
  /// there.
  ///
  /// - Returns: The harm; `nil` if there is none.
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
