import LedgerSystem

extension LedgerDirectory {
  /// Checks that a copy of this ledger may be made at a place.
  ///
  /// - Parameter noun: The copy, such as "A backup".
  /// - Throws: `alreadyExists` if something other than an empty directory is there; `invalidArgument` if it is
  ///   inside this ledger; `notFound` if the parent directory is missing.
  func checkPlace(ofCopy copy: LedgerDirectory, _ noun: String) throws(LedgerError) {
    guard try copy.isVacant() else { throw .copyExists(at: copy.path, noun) }
    let place = try LedgerPlace(copy)
    let isInside = try LedgerError.system("The place of the copy cannot be examined.") {
      () throws(SystemError) in try place.parent.isInside(FileSystem.identity(path))
    }
    guard !isInside else { throw .copyIsInside(path, noun) }
  }

  /// Checks that the disk of a directory has room.
  ///
  /// - Throws: `diskFull`.
  static func checkRoom(
    for byteCount: Int, in path: String, _ purpose: String
  ) throws(LedgerError) {
    let free = try LedgerError.system("The free space of the disk cannot be determined.") {
      () throws(SystemError) in try FileSystem.freeByteCount(at: path)
    }
    guard free < byteCount else { return }
    throw LedgerError(
      .diskFull,
      "\(purpose) needs \(byteCount) bytes, and the disk has \(free) bytes left. Nothing was written. Free space on the disk, or choose another one."
    )
  }
}

extension LedgerError {
  static func copyExists(at path: String, _ noun: String) -> LedgerError {
    LedgerError(
      .alreadyExists,
      "Something exists at \(path) already. Give a path where nothing exists; \(noun.lowercased()) never replaces anything."
    )
  }

  fileprivate static func copyIsInside(_ path: String, _ noun: String) -> LedgerError {
    LedgerError(
      .invalidArgument,
      "\(noun) cannot be made inside the ledger at \(path). Give a path outside that directory.")
  }
}

extension DirectoryHandle {
  /// Whether this is a directory, or is anywhere inside it.
  fileprivate borrowing func isInside(_ directory: FileIdentity) throws(SystemError) -> Bool {
    if try facts.identity == directory { return true }
    var path = try FileSystem.realPath(lastingPath)
    while path != "/" {
      path = FileSystem.parent(of: path)
      if try FileSystem.identity(path) == directory { return true }
    }
    return false
  }
}
