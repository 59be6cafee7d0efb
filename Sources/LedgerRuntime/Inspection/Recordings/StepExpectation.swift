/// The type that code gives to a step, to compare recorded steps with.
package struct StepExpectation: Sendable {
  let kinds: [String]
  let step: String
  let codec: @Sendable (Ledger) throws(LedgerError) -> (tag: String, formerTags: [String])

  package init<Work: LedgerWork, Value: Sendable>(
    _ step: String, of work: Work.Type, returns value: Value.Type
  ) {
    kinds = [work.kind] + work.formerKinds
    self.step = step
    codec = { (ledger) throws(LedgerError) in
      let codec = try ledger.configuration.codecs.codec(for: value)
      return (codec.typeTag, codec.formerTypeTags)
    }
  }
}
