/// How an environment is opened.
package struct Configuration: Sendable {
  /// The later cases need less than the earlier ones.
  package enum Access: Int, Sendable, Hashable {
    case readWrite
    /// No write transactions; still needs a writable lock file, in which readers register.
    case readOnly
    /// `MDB_RDONLY | MDB_NOLOCK`: for a directory without write permission. Nothing is written, so
    /// no writer knows about this reader. Only for a directory that no process writes to meanwhile.
    case readOnlyWithoutLock
  }

  package enum Durability: Sendable, Hashable {
    /// LMDB's default: a commit returns when it is on disk.
    case full
    /// `MDB_NOSYNC`: after a power cut most files are inconsistent. For throw-away files only.
    case noneForTests
  }

  /// Address space for the map, in bytes; the file grows as needed.
  ///
  /// Opening costs the same for a gibibyte as for a tebibyte, so 64-bit Linux and macOS reserve one
  /// tebibyte and never resize. If the system refuses, a sixteenth is tried, and so on.
  package var mapSize: Int
  /// Reader slots in the lock file; an old lock file keeps its number.
  package var maximumReaders: Int
  package var access: Access
  /// Whether opening an environment for writing creates a missing data file.
  package var createsDataFile: Bool
  /// Whether another handle of this process may close this one because it needs an environment with
  /// more access, or one that is not in panic. The owner of this handle then opens it again.
  package var yieldsToOthers: Bool
  package var durability: Durability
  /// The pages that are checked before LMDB walks the file, when this process opens it first.
  package var treeCheck: TreeCheckExtent
  /// Debug builds only: makes C fail.
  package var faults: (any CallFaults)?

  #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    package static let defaultMapSize = 64 << 20
  #else
    package static let defaultMapSize = 1 << 40
  #endif

  /// LMDB's own default of 126 is used up by as many processes, because each keeps a slot. A slot
  /// takes 64 bytes of the lock file, and 1,022 with their header take 16 pages.
  package static let defaultMaximumReaders = 1_022

  /// The maximum number of named tables that can be open.
  static let maximumTables: UInt32 = 16

  package init(
    mapSize: Int = Self.defaultMapSize,
    maximumReaders: Int = Self.defaultMaximumReaders,
    access: Access = .readWrite,
    createsDataFile: Bool = true,
    yieldsToOthers: Bool = false,
    durability: Durability = .full,
    treeCheck: TreeCheckExtent = .paths,
    faults: (any CallFaults)? = nil
  ) {
    self.mapSize = mapSize
    self.maximumReaders = maximumReaders
    self.access = access
    self.createsDataFile = createsDataFile
    self.yieldsToOthers = yieldsToOthers
    self.durability = durability
    self.treeCheck = treeCheck
    self.faults = faults
  }
}
