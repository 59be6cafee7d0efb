/// The contents that are certainly on a disk, and those that may be on it.
///
/// A model of the freedom that POSIX leaves, and stricter than any one file system. Until a file is
/// synced, any of its written sectors may be on the disk and any may be missing, and its size may
/// be older or newer. Until a directory is synced, any of its entries may be there or not, so long
/// as an entry that a later change builds on is there. Syncing a file does not sync its name.
struct Disk: Sendable {
  /// A change of a file that was not synced.
  enum FileChange: Sendable {
    case write(offset: Int, bytes: [UInt8])
    case resize(Int)
  }

  /// A change of a directory that was not synced. A rename is one change, as everywhere.
  enum EntryChange: Sendable {
    case enter(String, FileNumber)
    case leave(String)
    case rename(from: String, to: String)

    var names: [String] {
      switch self {
      case .enter(let name, _), .leave(let name): [name]
      case .rename(let from, let to): [from, to]
      }
    }
  }

  struct Pending<Change: Sendable>: Sendable {
    /// Which operation it was.
    let index: Int
    let change: Change
    /// Whether it is on the disk, before others that came before it.
    var isCertain = false
  }

  struct File: Sendable {
    let isDirectory: Bool
    /// Whether processes share its memory, so that anything may be in it.
    var isShared = false
    var image = FileImage()
    var changes: [Pending<FileChange>] = []
    var entries: [String: FileNumber] = [:]
    var entryChanges: [Pending<EntryChange>] = []
  }

  static let root: FileNumber = 0

  private(set) var files: [File] = [File(isDirectory: true)]

  /// - Parameter directories: The initial contents of the root.
  init(directories: [String]) {
    for name in directories {
      files[Self.root].entries[name] = files.count
      files.append(File(isDirectory: true))
    }
  }

  mutating func apply(_ operation: DiskOperation, index: Int) {
    switch operation {
    case .make(let file, let isDirectory):
      assert(file == files.count)
      files.append(File(isDirectory: isDirectory))
    case .enter(let file, let name, let directory):
      change(directory, .enter(name, file), index)
    case .leave(let name, let directory): change(directory, .leave(name), index)
    case .rename(let from, let to, let directory):
      change(directory, .rename(from: from, to: to), index)
    case .write(let file, let offset, let bytes):
      files[file].changes.append(
        Pending(index: index, change: .write(offset: offset, bytes: bytes)))
    case .resize(let file, let byteCount):
      files[file].changes.append(Pending(index: index, change: .resize(byteCount)))
    case .share(let file): files[file].isShared = true
    case .sync(let file, let synced, _): files[file].sync(synced)
    case .say: break
    }
  }

  private mutating func change(_ directory: FileNumber, _ change: EntryChange, _ index: Int) {
    files[directory].entryChanges.append(Pending(index: index, change: change))
  }
}

extension Disk.File {
  fileprivate mutating func sync(_ synced: Range<Int>) {
    for index in changes.indices where synced.contains(changes[index].index) {
      changes[index].isCertain = true
    }
    for index in entryChanges.indices where synced.contains(entryChanges[index].index) {
      entryChanges[index].isCertain = true
    }
    let old = changes.prefix { $0.isCertain }
    for pending in old { image.apply(pending.change) }
    changes.removeFirst(old.count)
    let oldEntries = entryChanges.prefix { $0.isCertain }
    for pending in oldEntries { entries.apply(pending.change) }
    entryChanges.removeFirst(oldEntries.count)
  }
}

extension FileImage {
  mutating func apply(_ change: Disk.FileChange) {
    switch change {
    case .write(let offset, let bytes):
      if offset + bytes.count > byteCount { resize(to: offset + bytes.count) }
      overwrite(bytes[...], at: offset)
    case .resize(let byteCount): resize(to: byteCount)
    }
  }
}

extension [String: FileNumber] {
  mutating func apply(_ change: Disk.EntryChange) {
    switch change {
    case .enter(let name, let file): self[name] = file
    case .leave(let name): self[name] = nil
    case .rename(let from, let to): self[to] = removeValue(forKey: from)
    }
  }
}
