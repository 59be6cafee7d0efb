import LedgerSystem

/// The entries that an unfinished ledger, or an unfinished generation of its files, leaves in a directory.
enum LedgerContents {
  case directory
  case generation
  /// The directory in which LMDB makes an empty data file.
  case creation
  /// The directory of sessions, in which no session was opened yet.
  case sessions

  private enum Entry {
    case file
    case directory(LedgerContents)
  }

  /// The kind of entry that may have a name; `nil` if the name is not one of ours.
  private func entry(_ name: String) -> Entry? {
    switch (self, name) {
    case (.directory, UnfinishedLedger.markName), (.directory, "CURRENT"), (.directory, "gate"),
      (.directory, "compaction"), (.directory, "wake"):
      .file
    case (.directory, LedgerDirectory.firstGeneration): .directory(.generation)
    case (.directory, "sessions"): .directory(.sessions)
    case (.directory, _): TemporaryName.target(of: name) == "CURRENT" ? .file : nil
    case (.generation, "data.mdb"), (.generation, "lock.mdb"): .file
    case (.creation, "data.mdb"), (.creation, "lock.mdb"): .file
    case (.generation, _):
      TemporaryName.target(of: name) == "data.mdb" ? .directory(.creation) : nil
    case (.creation, _), (.sessions, _): nil
    }
  }

  /// Whether every entry in a directory, at any depth, belongs to this user and has a known kind and name.
  func holdsNothingElse(in handle: borrowing DirectoryHandle) throws(SystemError) -> Bool {
    for name in try handle.list() {
      guard let entry = entry(name), let facts = try handle.facts(of: name), facts.isOurs else {
        return false
      }
      switch entry {
      case .file:
        guard facts.kind == .file else { return false }
      case .directory(let contents):
        guard facts.kind == .directory,
          try contents.holdsNothingElse(in: handle.directory(name))
        else { return false }
      }
    }
    return true
  }

  /// Removes the known entries, and leaves all others.
  func remove(
    from handle: borrowing DirectoryHandle, keeping kept: String? = nil
  ) throws(SystemError) {
    for name in try handle.list() where name != kept {
      switch entry(name) {
      case nil: break
      case .file: try handle.remove(name)
      case .directory(let contents):
        try contents.remove(from: handle.directory(name))
        try handle.removeDirectory(name)
      }
    }
  }
}
