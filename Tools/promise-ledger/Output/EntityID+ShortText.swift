import PromiseLedger

extension EntityID {
  /// The end of the id, which distinguishes ids in a line: their beginnings are times.
  var shortText: String { String(description.suffix(8)) }
}
