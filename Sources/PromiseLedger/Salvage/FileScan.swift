import LedgerBytes
import LedgerLMDB
import LedgerSystem

/// A scan of a whole data file for stored values whose checksums match, whether or not the trees still lead to
/// them.
///
/// LMDB places nodes and values at even offsets. So every even offset may be the beginning of a frame, or of a
/// node: the size of the value (4 bytes), flags (2), the size of the key (2), key, and value or the number of
/// the page where the value is.
struct FileScan {
  private static let windowByteCount = 1 << 20
  /// The longest run of bytes that is looked at together: a node with its value.
  private static let reach = 8 + 18 + PageValue.byteCount
  private static let pageHeaderByteCount = 16
  private static let nodeHeaderByteCount = 8
  /// The distance from a node to its value in the log: the header, and a key of 8 bytes.
  private static let logValueOffset: UInt64 = 16
  /// The flag of a node whose value is on pages of its own (`F_BIGDATA`).
  private static let bigData: UInt16 = 1

  private let file: RandomAccessFile
  private let pages: ReachablePages
  private var found = FoundValues()

  init(_ file: RandomAccessFile, _ pages: ReachablePages) {
    self.file = file
    self.pages = pages
  }

  /// Scans the file.
  ///
  /// - Parameter tick: Called for each window; an error ends the scan.
  /// - Throws: `SystemError` if the size of the file cannot be read; any error of `tick`.
  mutating func run(_ tick: () throws -> Void) throws -> FoundValues {
    let byteCount = try file.byteCount
    var start = 0
    while start < byteCount {
      try tick()
      // A value at the end of the file may be shorter than the header of a frame.
      let padding = [UInt8](repeating: 0, count: FrameHeader.byteCount)
      scan(
        SectorReading.bytes(
          Self.windowByteCount + Self.reach, at: UInt64(start), file.read(_:at:)) + padding,
        at: UInt64(start))
      start += Self.windowByteCount
    }
    dropFramesInsideValues()
    return found
  }

  /// Whether the newest state of the file leads to a frame: as the value of a node, or on a page of its own.
  private func isLive(frameAt offset: UInt64) -> Bool {
    let size = UInt64(pages.pageSize)
    return offset % size == UInt64(Self.pageHeaderByteCount) && pages.pages.contains(offset / size)
      || offset >= Self.logValueOffset && pages.nodes.contains(offset - Self.logValueOffset)
  }

  private mutating func scan(_ bytes: [UInt8], at start: UInt64) {
    let window = bytes.span
    let end = min(Self.windowByteCount, bytes.count)
    var offset = 0
    while offset + FrameHeader.byteCount <= bytes.count, offset < end {
      if let count = takeFrame(window, at: offset, start) {
        // A value inside the frame is content.
        offset += count
        continue
      }
      takeNode(window, at: offset, start)
      offset += 2
    }
  }

  // MARK: Frames

  /// - Returns: The length of the frame, if one begins here.
  private mutating func takeFrame(
    _ window: borrowing Span<UInt8>, at offset: Int, _ start: UInt64
  ) -> Int? {
    let count = Int(window.loadLittleEndian(UInt16.self, at: offset + 16))
    guard count >= FrameHeader.byteCount + EventView.headerByteCount, count % 8 == 0,
      count <= PageValue.byteCount, offset + count <= window.count,
      window.loadLittleEndian(UInt16.self, at: offset + 4) == FrameHeader.layout,
      window.loadLittleEndian(UInt16.self, at: offset + 6) > 0
    else { return nil }
    let key: UInt64 = window.loadLittleEndian(at: offset + 8)
    guard
      let frame = try? FrameView(
        checking: window.extracting(offset..<offset + count), key: key)
    else { return nil }
    var time = Timestamp(nanosecondsSinceEpoch: .min)
    try? frame.forEachEvent { event in time = max(time, event.time) }
    let place = FilePlace(offset: start + UInt64(offset), byteCount: count)
    found.frames.append(
      FoundFrame(
        header: frame.header, time: time, place: place, isLive: isLive(frameAt: place.offset)))
    return count
  }

  // MARK: Nodes

  private mutating func takeNode(
    _ window: borrowing Span<UInt8>, at offset: Int, _ start: UInt64
  ) {
    let keyCount = Int(window.loadLittleEndian(UInt16.self, at: offset + 6))
    guard [6, 8, 12, 16, 18].contains(keyCount) else { return }
    let count = Int(window.loadLittleEndian(UInt32.self, at: offset))
    let flags: UInt16 = window.loadLittleEndian(at: offset + 4)
    guard flags == 0 || flags == Self.bigData, (4...PageValue.byteCount).contains(count) else {
      return
    }
    let keyStart = offset + Self.nodeHeaderByteCount
    let valueStart = keyStart + keyCount
    let storedCount = flags == Self.bigData ? 8 : count
    guard valueStart + storedCount <= window.count else { return }
    let key = Array(copying: window.extracting(keyStart..<valueStart))
    // Most places that look like a node are none; these keys are quickly told from others.
    guard keyCount != 6 || key == LedgerMetadata.key, keyCount != 8 || key == SnapshotSummary.key
    else { return }
    let isLive = pages.nodes.contains(start + UInt64(offset))
    if flags == 0 {
      let value = Array(copying: window.extracting(valueStart..<valueStart + count))
      let place = FilePlace(offset: start + UInt64(valueStart), byteCount: count)
      take(key, value, FoundValue(place: place, isLive: isLive))
      return
    }
    let page: UInt64 = window.loadLittleEndian(at: valueStart)
    let (pageStart, isTooHigh) = page.multipliedReportingOverflow(by: UInt64(pages.pageSize))
    guard !isTooHigh, page >= 2, pageStart < UInt64(Int64.max) - UInt64(Self.reach) else { return }
    let place = FilePlace(offset: pageStart + UInt64(Self.pageHeaderByteCount), byteCount: count)
    guard let value = try? file.read(count, at: place.offset), value.count == count else { return }
    take(key, value, FoundValue(place: place, isLive: isLive))
  }

  private mutating func take(_ key: [UInt8], _ value: [UInt8], _ place: FoundValue) {
    switch key.count {
    case 6:
      do throws(LedgerError) {
        found.metadata.append((try LedgerMetadata(decoding: value.span), place.isLive))
      } catch {
        if place.isLive, error.code == .incompatibleFormat { found.refusal = error }
      }
    case 8:
      guard let summary = try? SnapshotSummary(decoding: value) else { return }
      found.summaries.append((summary, place.isLive))
    case 12:
      guard let (position, number) = Chunk.place(ofKey: key), Chunk.isSound(value.span, key: key)
      else { return }
      found.chunks[ChunkName(position: position, number: number), default: []].append(place)
    case 16:
      guard SnapshotRecord.isSound(value, key: key), let id = try? SnapshotRecord.id(ofKey: key)
      else { return }
      if value.count == SnapshotRecord.tombstone(id).count {
        found.tombstones[id] = found.tombstones[id] == true || place.isLive
      } else {
        found.entities[id, default: []].append(place)
      }
    default:
      guard SnapshotRecord.isSound(value, key: key) else { return }
      let id = EntityID(loadedFrom: key.span, at: 0)
      let number = Int(key[16]) << 8 | Int(key[17])
      found.parts[PartName(id: id, number: number), default: []].append(place)
    }
  }

  // MARK: Content

  /// A user's value may be the copy of a ledger. What looks like a frame there is no event of this ledger.
  private mutating func dropFramesInsideValues() {
    var places: [FilePlace] = []
    for values in found.chunks.values { places += values.map(\.place) }
    for values in found.entities.values { places += values.map(\.place) }
    for values in found.parts.values { places += values.map(\.place) }
    places.sort { $0.offset < $1.offset }
    found.frames.removeAll { frame in
      let next = places.partitioningIndex { $0.offset > frame.place.offset }
      return next > 0 && places[next - 1].end > frame.place.offset
    }
  }
}
