import LedgerBytes
import LedgerModel

/// A frame that passes its check has as many events as its header says, at successive positions.
enum FrameRules {
  static func check(_ bytes: [UInt8]) throws(FuzzFinding) {
    guard bytes.count >= FrameHeader.byteCount else { return }
    var frame = bytes
    let key: UInt64 = frame.span.loadLittleEndian(at: 8)
    frame.storeLittleEndian(FrameView.checksum(of: frame.span, key: key), at: 0)
    var positions: [Position] = []
    let header: FrameHeader
    do throws(LedgerError) {
      let view = try FrameView(checking: frame.span, key: key)
      header = view.header
      try view.forEachEvent { event in
        positions.append(event.position)
        _ = LedgerEvent(copying: event).subject
      }
    } catch {
      return
    }
    let expected = (0..<header.eventCount).map { header.firstPosition.advanced(by: $0) }
    try FuzzFinding.unless(
      positions == expected, "a frame has the events \(positions), not \(expected)")
    try FuzzFinding.unless(
      header.lastPosition == positions.last,
      "a frame ends at \(header.lastPosition), its last event is at \(positions.last ?? .start)")
  }
}
