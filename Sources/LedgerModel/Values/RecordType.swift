/// The content type of a snapshot record: a kind of entity and a layout.
///
/// Both are numbers from the file, including kinds and layouts that this build does not know.
package struct RecordType: Sendable, Hashable {
  /// The number of the kind; see ``EntityKind``.
  package let kind: UInt8
  /// The layout of the content: the lowest layout that can represent it. Every layout except ``original``
  /// begins with a ``RecordOutline``.
  package let layout: UInt8

  /// The layout of the kinds in the first version of the format.
  package static let original: UInt8 = 0

  package init(kind: UInt8, layout: UInt8) {
    self.kind = kind
    self.layout = layout
  }

  package init(_ kind: EntityKind) {
    self.init(kind: kind.rawValue, layout: Self.original)
  }

  package static let promise = RecordType(.promise)
  package static let session = RecordType(.session)
  package static let handler = RecordType(.handler)
  /// A promise that the first version of the format cannot represent, such as one that code settles. No version
  /// uses layout 1.
  package static let extendedPromise = RecordType(kind: EntityKind.promise.rawValue, layout: 2)

  /// The kind, if this build can read the record; `nil` for a record of a later version.
  package var knownKind: EntityKind? {
    layout == Self.original
      ? EntityKind(rawValue: kind) : self == .extendedPromise ? .promise : nil
  }
}

extension RecordType: Comparable {
  package static func < (left: RecordType, right: RecordType) -> Bool {
    (left.kind, left.layout) < (right.kind, right.layout)
  }
}

extension RecordType: CustomStringConvertible {
  package var description: String { knownKind?.name ?? "record of kind \(kind), layout \(layout)" }
}
