/// Reading from a disk some of whose sectors cannot be read.
enum SectorReading {
  /// The smallest part of a file that a system fails to read, in bytes.
  static let sectorByteCount = 4_096

  /// Bytes of a file; zeros where it cannot be read. There are fewer than wanted only at the end of the file.
  ///
  /// - Parameter read: Reads a number of bytes at an offset.
  static func bytes(
    _ count: Int, at offset: UInt64, _ read: (_ count: Int, _ offset: UInt64) throws -> [UInt8]
  ) -> [UInt8] {
    if let bytes = try? read(count, offset) { return bytes }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    var place = offset
    let end = offset + UInt64(count)
    while place < end {
      // To the end of the sector, so that a bad one takes none of its neighbour along.
      let size = min(sectorByteCount - Int(place % UInt64(sectorByteCount)), Int(end - place))
      bytes += (try? read(size, place)) ?? [UInt8](repeating: 0, count: size)
      place += UInt64(size)
    }
    return bytes
  }
}
