internal import CLedgerLMDB

/// The version of the LMDB library that this process runs with, which may differ from the one that
/// it was compiled against.
package struct LMDBVersion: Sendable, Hashable, CustomStringConvertible {
  package let major: Int
  package let minor: Int
  package let patch: Int

  /// The version that `mdb_version` returns.
  package static var current: LMDBVersion {
    var major: Int32 = 0
    var minor: Int32 = 0
    var patch: Int32 = 0
    _ = unsafe mdb_version(&major, &minor, &patch)
    return LMDBVersion(major: Int(major), minor: Int(minor), patch: Int(patch))
  }

  /// The known hazard of this version, in one sentence; nil if there is none.
  ///
  /// 0.9.26 to 0.9.31 destroy the process-shared mutexes when the environment is closed, in a race
  /// with a process that is just opening it.
  package var knownHazard: String? {
    guard major == 0, minor == 9, (26...31).contains(patch) else { return nil }
    return "LMDB \(self) may destroy the shared lock when one process closes the environment while "
      + "another opens it. Use 0.9.25 or older, or 0.9.32 or newer, when several processes share a "
      + "directory."
  }

  package var description: String { "\(major).\(minor).\(patch)" }
}
