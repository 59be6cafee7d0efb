/// An entity whose record a later version of the library wrote: of a kind, or in a layout, that this
/// build does not know.
///
/// Its id is neither read nor written. The record is passed on as it is, by what its outline says.
package struct OpaqueEntity: Sendable, Hashable {
  package let type: RecordType
  package let id: EntityID
  /// All of the record, with the outline.
  package let content: [UInt8]
  package let outline: RecordOutline

  init(type: RecordType, id: EntityID, content: [UInt8]) throws(PayloadDamage) {
    guard type.kind > 0, type.layout != RecordType.original else {
      throw PayloadDamage(what: "there is no record of kind \(type.kind), layout \(type.layout)")
    }
    var reader = PayloadReader(content)
    outline = try RecordOutline(of: id, &reader)
    // Ids that are made from keys say nothing of time, so their tombstones are always looked for.
    guard !outline.isKeyed || id.time == nil else {
      throw PayloadDamage(what: "it has a key, and an id without one")
    }
    (self.type, self.id, self.content) = (type, id, content)
  }
}
