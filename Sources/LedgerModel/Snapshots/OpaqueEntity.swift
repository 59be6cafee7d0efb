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
    guard type.layout != RecordType.original else {
      throw PayloadDamage(what: "it is a \(type), which there is not")
    }
    var reader = PayloadReader(content)
    outline = try RecordOutline(of: id, &reader)
    (self.type, self.id, self.content) = (type, id, content)
  }
}
