/// The large values that the records of an archive refer to. No two records own the same value, and each
/// value belongs to an event of the record's own entity.
struct NamedAttachments {
  /// The last event that the archive leaves out.
  private let base: Position
  /// The owners of the values, by the positions of their events.
  private var owners: [Position: (id: EntityID, byteCount: Int)] = [:]
  /// The number of values whose events have not been read yet.
  private var awaitedCount = 0

  init(after base: Position) {
    self.base = base
  }

  /// Adds the values that a record refers to.
  ///
  /// - Returns: The attachments that must follow the record, in that order, because their events are left
  ///   out.
  mutating func add(
    _ entity: LedgerEntity
  ) throws(ArchiveProblem) -> ArraySlice<AttachmentReference> {
    var leftOut: [AttachmentReference] = []
    for attachment in entity.attachments {
      let (position, owner) = (attachment.position, (entity.id, attachment.byteCount))
      guard owners.updateValue(owner, forKey: position) == nil else {
        throw .damaged("the value of position \(position) already has another owner")
      }
      if position > base { awaitedCount += 1 } else { leftOut.append(attachment) }
    }
    return leftOut.sorted { $0.position < $1.position }[...]
  }

  /// Compares an event with the record that refers to its value.
  mutating func check(_ event: ArchivedEvent) throws(ArchiveProblem) {
    guard let owner = owners.removeValue(forKey: event.position) else { return }
    awaitedCount -= 1
    guard owner.id == event.subject, owner.byteCount == event.attachment.count else {
      throw .damaged("a record refers to its value, but the value belongs to another entity")
    }
  }

  /// Checks that every value referred to was found.
  func finish() throws(ArchiveProblem) {
    guard awaitedCount == 0 else {
      throw .damaged("records refer to values of events that are missing")
    }
  }
}
