/// What kind of entity a snapshot record is about; the number in the file.
package enum EntityKind: UInt8, Sendable, Hashable, CaseIterable {
  case promise = 1
  case session = 2
  case handler = 3
}
