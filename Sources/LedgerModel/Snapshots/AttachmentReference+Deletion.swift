extension AttachmentReference {
  /// The deletion of all its chunks.
  package var deletion: [TableChange] {
    (0..<Chunk.count(ofAttachment: byteCount)).map { number in
      TableChange(.blob, Chunk.key(position, number), nil)
    }
  }
}
