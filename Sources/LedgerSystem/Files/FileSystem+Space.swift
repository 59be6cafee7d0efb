import LedgerLibC

extension FileSystem {
  /// The space on the disk of a directory that this process may use, in bytes.
  package static func freeByteCount(at path: String) throws(SystemError) -> Int {
    var result = statvfs()
    if unsafe statvfs(path, &result) == -1 { throw SystemError.last("statvfs", path: path) }
    let (bytes, isTooMuch) = Int(clamping: result.f_bavail).multipliedReportingOverflow(
      by: Int(clamping: result.f_frsize))
    return isTooMuch ? .max : bytes
  }
}
