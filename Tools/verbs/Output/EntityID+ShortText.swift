import LedgerRuntime

extension EntityID {
  static let shortTextCount = 8

  /// The end of the id, which distinguishes ids in a line: their beginnings are times.
  var shortText: String { String(description.suffix(Self.shortTextCount)) }
}
