package import LedgerModel

/// Inputs that are valid for a target, made of a real history: where a search for others begins.
package enum FuzzInput {
  /// The first events of up to three promises, handlers and sessions.
  package static func history(of events: [LedgerEvent], foldedAfter cut: UInt8) -> [UInt8] {
    var bytes = [cut]
    var known: [EventKind.Subject: [EntityID]] = [:]
    for event in events {
      guard let family = event.kind.subject, let kind = EventKind.all.firstIndex(of: event.kind)
      else { continue }
      if known[family, default: []].contains(event.subject) == false {
        guard known[family, default: []].count < 3 else { continue }
        known[family, default: []].append(event.subject)
      }
      let number = known[family]?.firstIndex(of: event.subject) ?? 0
      let hasAttachment = event.attachmentByteCount > 0
      bytes += [UInt8(kind), UInt8(number), UInt8(event.version & 3) | (hasAttachment ? 4 : 0)]
      bytes += [UInt8(event.payload.count & 0xff), UInt8(event.payload.count >> 8)]
      bytes += event.payload
    }
    return bytes
  }

  /// The payload of an event.
  package static func payload(of event: LedgerEvent) -> [UInt8]? {
    EventKind.all.firstIndex(of: event.kind).map { [UInt8($0)] + event.payload }
  }

  /// The record of an entity.
  package static func record(of entity: LedgerEntity) -> [UInt8] {
    [entity.type.kind, entity.type.layout] + entity.content
  }
}
