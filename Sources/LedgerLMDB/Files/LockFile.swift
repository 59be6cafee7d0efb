internal import CLedgerLMDB

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The lock file of an environment, which is looked at and never opened: closing it would drop the
/// locks that LMDB has on it.
///
/// What is made and given away is in the directory that its path led to at first, wherever it leads
/// later.
struct LockFile: ~Copyable {
  private static let name = "lock.mdb"

  private let path: String
  private let directory: Int32
  private let wasThere: Bool

  /// Looks before LMDB opens the file, and refuses what LMDB would wait for.
  init(in directoryPath: String) throws(LMDBError) {
    let path = directoryPath + "/" + Self.name
    let directory = unsafe open(directoryPath, Self.directoryFlags | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else {
      throw LMDBError(.currentErrno, .checkFile, path: directoryPath)
    }
    var facts = stat()
    let wasThere = unsafe fstatat(directory, Self.name, &facts, AT_SYMLINK_NOFOLLOW) == 0
    guard !wasThere || facts.st_mode & S_IFMT == S_IFREG else {
      close(directory)
      throw LMDBError(.notARegularFile(Self.name), .checkFile, path: path)
    }
    self.path = path
    self.directory = directory
    self.wasThere = wasThere
  }

  deinit { close(directory) }

  /// Has the system give the file the blocks for all its slots, and makes it if it is missing. LMDB
  /// writes them through a map, and on a full disk that ends the process.
  ///
  /// Only before LMDB opens the file in this process: closing it drops the locks that the process has
  /// on it. The length of one that is there stays: it must not grow under processes that have it open.
  /// If no process has, LMDB makes it longer, and the blocks for that are reserved behind its end.
  ///
  /// - Returns: How many slots to ask LMDB for: those that an old file has, if there is no room for more.
  func reserve(readers: Int, mode: UInt32) throws(LMDBError) -> Int {
    #if os(Linux)
      let length = Self.length(readers: readers)
      if !wasThere {
        try make(length: length, mode)
        return readers
      }
      let descriptor = unsafe openat(
        directory, Self.name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      // What keeps it from being opened, LMDB meets and reports, too.
      guard descriptor >= 0 else { return readers }
      defer { close(descriptor) }
      var facts = stat()
      guard unsafe fstat(descriptor, &facts) == 0 else { return readers }
      if facts.st_blocks * 512 < facts.st_size { try reserve(facts.st_size, descriptor) }
      guard length > facts.st_size, facts.st_blocks * 512 < length,
        facts.st_size >= Self.length(readers: 1)
      else { return readers }
      let isReserved = fallocate(descriptor, Self.keepsLength, 0, length) == 0
      guard !isReserved, Self.isFull(errno) else { return readers }
      return (Int(facts.st_size) - Self.headerByteCount) / Self.slotByteCount
    #else
      return readers
    #endif
  }

  #if os(Linux)
    /// `MDB_reader`, and what is before the first of them.
    private static let slotByteCount = 64
    private static let headerByteCount = 128

    private static func length(readers: Int) -> off_t {
      off_t(readers * slotByteCount + headerByteCount)
    }

    private static func isFull(_ code: Int32) -> Bool {
      code == ENOSPC || code == EDQUOT || code == EFBIG
    }

    /// Makes the file appear with all its blocks, so that no process opens a shorter one.
    private func make(length: off_t, _ mode: UInt32) throws(LMDBError) {
      let descriptor = unsafe openat(
        directory, ".", Self.withoutName | O_RDWR | O_CLOEXEC, mode_t(mode))
      // Where the file system knows no files without a name, LMDB makes it.
      guard descriptor >= 0 else { return }
      defer { close(descriptor) }
      try reserve(length, descriptor)
      // Before it has a name, under which its owner may put something else.
      if let owner { _ = fchown(descriptor, owner.user, owner.group) }
      // If another process was faster, its file stays.
      _ = unsafe linkat(
        AT_FDCWD, "/proc/self/fd/\(descriptor)", directory, Self.name, AT_SYMLINK_FOLLOW)
    }

    private func reserve(_ length: off_t, _ descriptor: Int32) throws(LMDBError) {
      var code: Int32
      repeat { code = posix_fallocate(descriptor, 0, length) } while code == EINTR
      guard Self.isFull(code) else { return }
      throw LMDBError(LMDBStatus(code), .reserveLockFile, path: path)
    }
  #endif

  /// Gives a lock file that LMDB made for root to the directory's owner, who could not open it otherwise.
  func giveToOwnerIfMade() {
    #if os(Linux)
      guard !wasThere, let owner else { return }
      // Such a descriptor can be closed without a loss of locks.
      let place = unsafe openat(
        directory, Self.name, Self.pathOnly | O_NOFOLLOW | O_CLOEXEC)
      guard place >= 0 else { return }
      defer { close(place) }
      // Nothing else that the owner may have put there is given away.
      var facts = stat()
      guard unsafe fstat(place, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
        facts.st_uid == 0, facts.st_nlink == 1
      else { return }
      _ = unsafe fchownat(place, "", owner.user, owner.group, Self.ofDescriptor)
    #endif
  }

  #if os(Linux)
    /// `O_PATH` and `AT_EMPTY_PATH`, which not every C library shows to Swift; as `O_TMPFILE` below.
    private static let pathOnly: Int32 = 0o10000000
    private static let ofDescriptor: Int32 = 0x1000
    /// `FALLOC_FL_KEEP_SIZE`
    private static let keepsLength: Int32 = 0x01
    /// `O_TMPFILE`
    private static let withoutName: Int32 = 0o20000000 | O_DIRECTORY
    private static let directoryFlags = pathOnly

    /// To whom root gives what it makes; `nil` if it stays with its maker.
    private var owner: (user: uid_t, group: gid_t)? {
      var facts = stat()
      guard geteuid() == 0, unsafe fstat(directory, &facts) == 0, facts.st_uid != 0 else {
        return nil
      }
      return (facts.st_uid, facts.st_gid)
    }
  #else
    private static let directoryFlags = O_RDONLY
  #endif
}
