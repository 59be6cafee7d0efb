internal import CLedgerLMDB
internal import LedgerLibC

/// Whether a directory is on a file system that LMDB can share between processes.
///
/// The LMDB manual, under Caveats: "Do not use LMDB databases on remote filesystems, even between
/// processes on the same host. This breaks flock() on some OSes, possibly memory map sync, and
/// certainly sync between programs on different hosts."
enum FileSystemKind {
  /// `f_type` of the file systems that are refused, from linux/magic.h and `statfs(2)`.
  ///
  /// FUSE is among them although some of it is local: sshfs cannot be told from a local one, and
  /// shared writable maps are optional there.
  static let refusedTypes: Set<UInt> = [
    0x6969,  // NFS
    0x517B,  // SMB
    0xFF53_4D42,  // CIFS
    0xFE53_4D42,  // SMB2
    0x6573_5546,  // FUSE
    0x0102_1997,  // 9P
    0x5346_414F,  // AFS
    0x6B41_4653,  // kAFS
    0x00C3_6400,  // Ceph
    0x7375_7245,  // Coda
    0x0BD0_0BD0,  // Lustre
    0x0116_1970,  // GFS2
    0x7461_636F,  // OCFS2
    0x786F_4256,  // VirtualBox shared folder
  ]

  static func check(
    _ directory: String, seam: CallSeam, pretended: UInt?
  ) throws(LMDBError) {
    var result = statfs()
    try seam.require(.checkFileSystem, path: directory) {
      unsafe statfs(directory, &result) == 0 ? 0 : errno
    }
    // Some file systems' numbers have the sign bit of a 32-bit word.
    let type = pretended ?? UInt(UInt32(truncatingIfNeeded: result.f_type))
    #if canImport(Darwin)
      let isLocal = pretended == nil && result.f_flags & UInt32(MNT_LOCAL) != 0
      let isRefused = !isLocal
    #else
      let isRefused = refusedTypes.contains(type)
    #endif
    if isRefused {
      throw LMDBError(.networkFileSystem(type: type), .checkFileSystem, path: directory)
    }
  }
}
