import LedgerVerbs
import PromiseLedger

extension Report {
  /// The effects of a shrink.
  mutating func add(_ shrink: ShrinkReport) {
    add("file bytes before", "fileBytesBefore", shrink.sizeInBytesBefore)
    add("file bytes", "fileBytes", shrink.sizeInBytes)
    let wait = Int(shrink.longestLock / .microseconds(1))
    add(
      "writers waited", "shrinkLockInMicroseconds", .integer(Int64(wait)),
      text: "\(wait) microseconds")
  }

  /// The sizes before and after a shrink.
  mutating func addPlannedShrink(_ space: LedgerSpace) {
    add("file bytes", "fileBytes", space.fileByteCount)
    let used = space.usedByteCount
    add(
      "shrunk bytes", "shrunkBytes", .integer(Int64(used)),
      text: "about \(used), less what is deleted")
  }
}
