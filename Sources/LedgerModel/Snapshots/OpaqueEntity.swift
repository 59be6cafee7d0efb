/// An entity whose record was written by a later version of the library, with a kind or layout that this
/// build does not know.
///
/// Its id is neither read nor written. The record is passed on unchanged, according to its outline.
package struct OpaqueEntity: Sendable, Hashable {
  package let type: RecordType
  package let id: EntityID
  /// The complete record content, including the outline.
  package let content: [UInt8]
  package let outline: RecordOutline

  init(type: RecordType, id: EntityID, content: [UInt8]) throws(PayloadDamage) {
    guard type.kind > 0, type.layout != RecordType.original else {
      throw PayloadDamage(what: "a record cannot have kind \(type.kind), layout \(type.layout)")
    }
    var reader = PayloadReader(content)
    outline = try RecordOutline(of: id, &reader)
    // Ids that are derived from keys contain no time, so their tombstones are always looked up.
    guard !outline.isKeyed || id.time == nil else {
      throw PayloadDamage(what: "it has a key, but its id is not derived from one")
    }
    (self.type, self.id, self.content) = (type, id, content)
  }
}
