import PromiseLedger

extension EntityID {
  /// The end of the id, which tells ids apart in a line: their beginnings are times.
  var shortText: String { String(description.suffix(8)) }
}
