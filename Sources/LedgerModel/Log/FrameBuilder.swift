import LedgerBytes

extension EventBatch {
  /// Packs the events into frames and hands over each with its key.
  ///
  /// - Parameters:
  ///   - position: The position of the first event.
  ///   - number: The number of the first frame.
  ///   - commit: The commit that the frames belong to.
  ///   - neighbours: Whether frames of the commit come before and after these, if it is a part only.
  ///   - frameByteCount: The size in bytes up to which a frame takes events; one with a single event may
  ///     be larger.
  package func packFrames<Failure: Error>(
    from position: Position,
    number: UInt32,
    commit: CommitID,
    neighbours: FrameHeader.Flags = [],
    filling frameByteCount: Int = FrameHeader.maximumFrameByteCount,
    _ body: (_ key: UInt64, _ frame: borrowing Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(frameByteCount <= FrameHeader.maximumFrameByteCount, "no frame may be so large")
    var frame: [UInt8] = []
    frame.reserveCapacity(FrameHeader.maximumFrameByteCount)
    var first = 0
    var number = number
    while first < count {
      let start = first == 0 ? 0 : ends[first - 1]
      let limit = start + frameByteCount - FrameHeader.byteCount
      var next = first + 1
      while next < count, ends[next] <= limit { next += 1 }
      var flags: FrameHeader.Flags = []
      if first > 0 || neighbours.contains(.continuesCommit) { flags.insert(.continuesCommit) }
      if next < count || neighbours.contains(.commitContinues) { flags.insert(.commitContinues) }
      let header = FrameHeader(
        eventCount: next - first,
        firstPosition: position.advanced(by: first),
        byteCount: FrameHeader.byteCount + ends[next - 1] - start,
        flags: flags,
        number: number,
        commit: commit
      )
      frame.removeAll(keepingCapacity: true)
      header.append(to: &frame)
      frame.append(contentsOf: bytes.span.extracting(start..<ends[next - 1]))
      let key = header.firstPosition.rawValue
      frame.storeLittleEndian(FrameView.checksum(of: frame.span, key: key), at: 0)
      try body(key, frame.span)
      first = next
      number &+= 1
    }
  }
}

extension FrameHeader {
  /// Appends the header, with a checksum of 0.
  fileprivate func append(to frame: inout [UInt8]) {
    frame.appendLittleEndian(UInt32(0))
    frame.appendLittleEndian(Self.layout)
    frame.appendLittleEndian(UInt16(eventCount))
    frame.appendLittleEndian(firstPosition.rawValue)
    frame.appendLittleEndian(UInt16(byteCount))
    frame.appendLittleEndian(flags.rawValue)
    frame.appendLittleEndian(number)
    commit.session.entityID.append(to: &frame)
    frame.appendLittleEndian(commit.number)
  }
}
