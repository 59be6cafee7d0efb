internal import CLedgerLMDB
internal import LedgerLibC
internal import LedgerSystem

/// The lock file of an environment. It is inspected and never opened: closing it would drop the
/// locks that LMDB has on it.
///
/// Files are created and given away in the directory that the path led to at first, wherever it
/// leads later.
struct LockFile: ~Copyable {
  private static let name = "lock.mdb"

  private let directory: DirectoryHandle
  private let wasThere: Bool

  /// Inspects the directory before LMDB opens the file, and refuses a lock file that would make
  /// LMDB wait.
  init(in directoryPath: String) throws(LMDBError) {
    let directory = try LMDBError.mapping(.checkFile) { () throws(SystemError) in
      try DirectoryHandle(reaching: directoryPath)
    }
    let facts = try? directory.facts(of: Self.name)
    if let facts, facts.kind != .file {
      throw LMDBError(
        .notARegularFile(Self.name), .checkFile, path: directory.path(of: Self.name))
    }
    wasThere = facts != nil
    self.directory = directory
  }

  /// Asks the system to allocate the blocks for all slots of the file, and creates the file if it
  /// is missing. LMDB writes the slots through a map, and on a full disk that ends the process.
  ///
  /// Call it only before LMDB opens the file in this process: closing the file drops the locks that
  /// the process has on it. An existing file keeps its length: it must not grow under processes
  /// that have it open. If no process has it open, LMDB makes it longer, so the blocks for that are
  /// reserved behind its end.
  ///
  /// - Returns: The number of slots to ask LMDB for: the number in the old file, if there is no
  ///   room for more.
  func reserve(readers: Int) throws(LMDBError) -> Int {
    #if os(Linux)
      let length = Self.length(readers: readers)
      if !wasThere {
        try make(length: length)
        return readers
      }
      // If it cannot be opened, LMDB meets and reports the same error.
      guard let descriptor = try? directory.openEntry(Self.name, O_RDWR | O_NONBLOCK)
      else { return readers }
      defer { Descriptor.close(descriptor) }
      var facts = stat()
      guard unsafe fstat(descriptor, &facts) == 0 else { return readers }
      if facts.st_blocks * 512 < facts.st_size { try reserve(facts.st_size, descriptor) }
      guard length > facts.st_size, facts.st_blocks * 512 < length,
        facts.st_size >= Self.length(readers: 1)
      else { return readers }
      let isReserved = fallocate(descriptor, Self.keepsLength, 0, length) == 0
      guard !isReserved, SystemError.Code(rawValue: errno).isFullDisk else { return readers }
      return (Int(facts.st_size) - Self.headerByteCount) / Self.slotByteCount
    #else
      return readers
    #endif
  }

  #if os(Linux)
    /// The size of an `MDB_reader`, and of the header before the first of them.
    private static let slotByteCount = 64
    private static let headerByteCount = 128

    private static func length(readers: Int) -> off_t {
      off_t(readers * slotByteCount + headerByteCount)
    }

    /// Makes the file appear with all its blocks, so that no process opens a shorter one.
    private func make(length: off_t) throws(LMDBError) {
      // Where the file system does not support files without a name, LMDB creates it.
      guard
        let descriptor = try? directory.openEntry(
          ".", Self.withoutName | O_RDWR, mode: DataFile.mode)
      else { return }
      defer { Descriptor.close(descriptor) }
      try reserve(length, descriptor)
      // Before it has a name, under which its owner could put something else.
      try? directory.giveToOwner(descriptor)
      // If another process was faster, its file stays.
      _ = unsafe linkat(
        AT_FDCWD, "/proc/self/fd/\(descriptor)", directory.descriptor, Self.name,
        AT_SYMLINK_FOLLOW)
    }

    private func reserve(_ length: off_t, _ descriptor: Int32) throws(LMDBError) {
      var code: Int32
      repeat { code = posix_fallocate(descriptor, 0, length) } while code == EINTR
      let error = SystemError(
        .init(rawValue: code), "fallocate", path: directory.path(of: Self.name))
      if error.code.isFullDisk { throw LMDBError(error, .reserveLockFile) }
    }
  #endif

  /// Gives a lock file that LMDB created for root to the directory's owner, who could not open it
  /// otherwise.
  func giveToOwnerIfMade() {
    #if os(Linux)
      // Such a descriptor can be closed without losing locks.
      guard !wasThere, let heir = try? directory.heir,
        let place = try? directory.openEntry(Self.name, Self.pathOnly)
      else { return }
      defer { Descriptor.close(place) }
      // Nothing else that the owner may have put there is given away.
      guard let facts = try? FileFacts(of: place, path: Self.name), facts.kind == .file,
        facts.isOurs, facts.nameCount == 1
      else { return }
      _ = unsafe fchownat(place, "", heir.owner, heir.group, Self.ofDescriptor)
    #endif
  }

  #if os(Linux)
    /// `O_PATH` and `AT_EMPTY_PATH`, which some C libraries do not export to Swift; the same holds
    /// for `O_TMPFILE` below.
    private static let pathOnly: Int32 = 0o10000000
    private static let ofDescriptor: Int32 = 0x1000
    /// `FALLOC_FL_KEEP_SIZE`
    private static let keepsLength: Int32 = 0x01
    /// `O_TMPFILE`
    private static let withoutName: Int32 = 0o20000000 | O_DIRECTORY
  #endif
}
