/// A file or directory, regardless of its current name.
typealias FileNumber = Int

/// One operation of a process on a disk, or a message to another process in between.
enum DiskOperation: Sendable {
  /// A file came into being that has no name yet.
  case make(FileNumber, isDirectory: Bool)
  /// A file got a name.
  case enter(FileNumber, name: String, in: FileNumber)
  /// A name went away.
  case leave(name: String, in: FileNumber)
  case rename(from: String, to: String, in: FileNumber)
  case write(FileNumber, offset: Int, bytes: [UInt8])
  case resize(FileNumber, Int)
  /// From now on processes change the file through memory that they share.
  case share(FileNumber)
  /// The effects of these operations on the file, or in the directory, are on the disk.
  case sync(FileNumber, Range<Int>, SyncClass)
  /// A line that another process got.
  case say(String)
}
