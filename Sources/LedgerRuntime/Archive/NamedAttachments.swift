/// The large values that the records of an archive name: no two records own one, and each belongs to
/// an event of the record's own entity.
struct NamedAttachments {
  /// The last event that the archive leaves out.
  private let base: Position
  /// By the positions of their events.
  private var owners: [Position: (id: EntityID, byteCount: Int)] = [:]
  /// How many of them belong to events that did not come yet.
  private var awaitedCount = 0

  init(after base: Position) {
    self.base = base
  }

  /// Takes in what a record names.
  ///
  /// - Returns: What must follow the record, because its events are left out, in that order.
  mutating func add(
    _ entity: LedgerEntity
  ) throws(ArchiveProblem) -> ArraySlice<AttachmentReference> {
    var leftOut: [AttachmentReference] = []
    for attachment in entity.attachments {
      let (position, owner) = (attachment.position, (entity.id, attachment.byteCount))
      guard owners.updateValue(owner, forKey: position) == nil else {
        throw .damaged("the value of position \(position) has another owner already")
      }
      if position > base { awaitedCount += 1 } else { leftOut.append(attachment) }
    }
    return leftOut.sorted { $0.position < $1.position }[...]
  }

  /// Compares an event with the record that names its value.
  mutating func check(_ event: ArchivedEvent) throws(ArchiveProblem) {
    guard let owner = owners.removeValue(forKey: event.position) else { return }
    awaitedCount -= 1
    guard owner.id == event.subject, owner.byteCount == event.attachment.count else {
      throw .damaged("a record names its value, and it is not that of the record's entity")
    }
  }

  /// Makes sure that every value that is named was there.
  func finish() throws(ArchiveProblem) {
    guard awaitedCount == 0 else {
      throw .damaged("records name values of events that are not there")
    }
  }
}
