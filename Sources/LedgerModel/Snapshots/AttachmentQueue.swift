/// Attachments that are taken in the order of a list, and read in groups: few are in memory at a time.
package struct AttachmentQueue {
  private var wanted: ArraySlice<AttachmentReference>
  private var found: ArraySlice<Result<[UInt8], LedgerError>> = []

  package init(_ wanted: [AttachmentReference]) {
    self.wanted = wanted[...]
  }

  /// The next one.
  ///
  /// - Precondition: There is one left.
  package mutating func next(
    _ read: ([AttachmentReference]) throws(LedgerError) -> [Result<[UInt8], LedgerError>]
  ) throws(LedgerError) -> Result<[UInt8], LedgerError> {
    if found.isEmpty {
      let group = wanted.prefix(weighing: AttachmentReference.groupByteCount) { $0.byteCount }
      found = try read(Array(group))[...]
      wanted = wanted.dropFirst(group.count)
    }
    return found.removeFirst()
  }
}
