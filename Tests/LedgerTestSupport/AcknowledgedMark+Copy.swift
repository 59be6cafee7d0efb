import LedgerSystem
package import PromiseLedger

extension AcknowledgedMark {
  /// Makes the mark of a ledger hold for a copy of it, too, as if the copy were the file that was written.
  package static func carry(from original: String, to copy: String) throws {
    let id = try BlockingInspector(at: original).id
    let (from, to) = (LedgerDirectory(original), LedgerDirectory(copy))
    let generation = LedgerDirectory.firstGeneration
    let mark = try AcknowledgedMark(of: id, in: from, generation: generation)
    guard let position = mark.position(inFile: from.wake) else { return }
    let words = try SharedWords(path: to.wake)
    try AcknowledgedMark(of: id, in: to, generation: generation).move(to: position, in: words)
  }
}
