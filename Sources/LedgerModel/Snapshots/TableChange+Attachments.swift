import LedgerBytes

extension TableChange {
  /// Puts an attachment, whole.
  package init(_ attachment: [UInt8], at position: Position) {
    self.init(.blob, position.bigEndianBytes, attachment)
  }

  /// Deletes an attachment, whole.
  package init(deleting attachment: AttachmentReference) {
    self.init(.blob, attachment.position.bigEndianBytes, nil)
  }
}
