/// Attachments that are consumed in the order of a list and read in groups, so that only a few are in memory
/// at a time.
package struct AttachmentQueue {
  private var wanted: ArraySlice<AttachmentReference>
  private var found: ArraySlice<Result<[UInt8], LedgerError>> = []

  package init(_ wanted: [AttachmentReference]) {
    self.wanted = wanted[...]
  }

  /// Returns the next attachment.
  ///
  /// - Precondition: At least one attachment is left.
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
