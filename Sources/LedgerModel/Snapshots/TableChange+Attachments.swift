import LedgerBytes

extension TableChange {
  /// Stores a whole attachment.
  package init(_ attachment: [UInt8], at position: Position) {
    self.init(.blob, position.bigEndianBytes, attachment)
  }

  /// Deletes a whole attachment.
  package init(deleting attachment: AttachmentReference) {
    self.init(.blob, attachment.position.bigEndianBytes, nil)
  }
}
