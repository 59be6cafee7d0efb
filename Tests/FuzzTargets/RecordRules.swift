import LedgerModel

/// A record that can be read is the same after it was written and read again, and every store can hold it. Unless one
/// of its payloads is damaged, it can be redacted. Once it is redacted, it can be read, too.
enum RecordRules {
  static let id = EntityID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)

  static func check(_ bytes: [UInt8]) throws(FuzzFinding) {
    var input = FuzzBytes(bytes)
    let type = RecordType(kind: input.byte(), layout: input.byte())
    guard let entity = try? LedgerEntity(type: type, id: id, content: input.all()) else { return }
    try check(entity)
  }

  /// Checks an entity, from wherever it comes.
  static func check(_ entity: LedgerEntity) throws(FuzzFinding) {
    let (type, content) = (entity.type, entity.content)
    let again: LedgerEntity
    do throws(LedgerError) {
      again = try LedgerEntity(type: type, id: entity.id, content: content)
    } catch {
      throw FuzzFinding("a record cannot be read after it was written: \(error.message)")
    }
    try FuzzFinding.unless(
      again == entity && again.content == content && again.type == type,
      "a \(type) changes when it is written and read")
    if let redacted = try redacted(entity) {
      let read = try? LedgerEntity(type: redacted.type, id: redacted.id, content: redacted.content)
      try FuzzFinding.unless(
        redacted.type == type && read == redacted, "a \(type) cannot be read after it was redacted")
    }
    for entry in entity.openEntries {
      try FuzzFinding.unless(
        entry.key.count <= 511 && entry.value.count <= 2_048,
        "a \(type) has an entry of \(entry.key.count) and \(entry.value.count) bytes")
    }
  }

  /// The entity without its values and texts; `nil` if it need not be possible to redact it.
  private static func redacted(_ entity: LedgerEntity) throws(FuzzFinding) -> LedgerEntity? {
    do throws(LedgerError) {
      return try Redactor(salt: [7]).redact(entity)
    } catch {
      try FuzzFinding.unless(
        !isIntact(entity), "an intact \(entity.type) cannot be redacted: \(error.message)")
      return nil
    }
  }

  /// Whether all payloads can be decoded. Reading a record checks the texts of most, but not those that creations and
  /// resolutions of promises contain.
  private static func isIntact(_ entity: LedgerEntity) -> Bool {
    switch entity {
    case .promise(let promise):
      do throws(LedgerError) {
        _ = try promise.creation()
        _ = try promise.resolved()
        return true
      } catch {
        return false
      }
    case .session, .handler: return true
    case .opaque: return false
    }
  }
}
