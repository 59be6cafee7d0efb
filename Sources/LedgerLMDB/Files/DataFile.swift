internal import LedgerSystem

/// The data file of an environment, inspected with plain system calls before LMDB maps it.
///
/// Opening and closing this file is harmless. The same on `lock.mdb` would drop every lock of the
/// process (POSIX record locks), so the code here never touches that file.
struct DataFile: ~Copyable {
  /// The permissions of a new data file, and of its lock file.
  static let mode: UInt32 = 0o600

  let path: String
  let descriptor: Int32

  /// Opens for reading; nil when there is no such file.
  ///
  /// It does not wait for a pipe in its place, and follows no symbolic link: LMDB would put a lock
  /// file beside the link, and writers that come by another path would not see it.
  init?(path: String) throws(LMDBError) {
    do throws(SystemError) {
      descriptor = try Descriptor.openRegular(path)
    } catch {
      if error.code == .notFound { return nil }
      throw LMDBError(error, .checkFile)
    }
    self.path = path
  }

  deinit { Descriptor.close(descriptor) }

  var facts: FileFacts {
    get throws(LMDBError) {
      try LMDBError.mapping(.checkFile) { () throws(SystemError) in
        try FileFacts(of: descriptor, path: path)
      }
    }
  }

  private var size: UInt64 {
    get throws(LMDBError) { UInt64(max(0, try facts.byteCount)) }
  }

  func read(_ count: Int, at offset: UInt64) throws(LMDBError) -> [UInt8] {
    try LMDBError.mapping(.checkFile) { () throws(SystemError) in
      try Descriptor.read(count, from: descriptor, at: offset, path: path)
    }
  }
}

// MARK: - Checks

extension DataFile {
  /// Refuses a file that would crash LMDB, or of which it would silently read an old state.
  ///
  /// A writer in another process may commit between two of our reads, so a finding counts only if
  /// it persists while the meta pages do not change.
  ///
  /// - Returns: the newest meta page.
  func check(seam: CallSeam, isPowerLossSafe: Bool) throws(LMDBError) -> MetaPage {
    var steadyFindings = 0
    var attempts = 0
    while true {
      let before = metas
      do {
        return try checkOnce(seam: seam, isPowerLossSafe: isPowerLossSafe)
      } catch {
        guard error.refusal != nil else { throw error }
        attempts += 1
        steadyFindings = metas == before ? steadyFindings + 1 : 0
        guard steadyFindings < 3, attempts < 1_000 else { throw error }
      }
    }
  }

  /// Both meta pages as they are now; nil for one that cannot be read.
  private var metas: [MetaPage?] {
    let first = try? meta(0, at: 0)
    return [first, try? meta(1, at: UInt64(first?.pageSize ?? 0))]
  }

  private func checkOnce(
    seam: CallSeam, isPowerLossSafe: Bool
  ) throws(LMDBError) -> MetaPage {
    try seam.system(.checkFile, path) {}
    let first = try meta(0, at: 0)
    let pageSize = first.pageSize
    if first.version != MetaPage.version {
      try checkVersions(first, try? meta(1, at: UInt64(pageSize)))
    }
    guard (512...32768).contains(pageSize), pageSize & (pageSize - 1) == 0 else {
      throw LMDBError(.unsupportedPageSize(pageSize), .checkFile, path: path)
    }
    let second = try meta(1, at: UInt64(pageSize))
    try checkVersions(first, second)
    guard second.pageSize == pageSize else {
      throw LMDBError(.unsupportedPageSize(second.pageSize), .checkFile, path: path)
    }
    for (index, meta) in [first, second].enumerated() {
      if let what = meta.implausibility(index: index) { throw implausible(index, what) }
    }
    let newest = first.transactionID > second.transactionID ? first : second
    let oldest = first.transactionID > second.transactionID ? second : first
    // The meta pages take turns, and each is flushed before the next, so the older is always one
    // behind. After a power cut, only a database that never synced can be in another state.
    if isPowerLossSafe, newest.transactionID > 1,
      newest.transactionID - oldest.transactionID != 1
    {
      throw implausible(
        Int(oldest.transactionID % 2),
        "transactions \(oldest.transactionID) and \(newest.transactionID) are not consecutive")
    }
    let pagesOfFile = try size / UInt64(pageSize)
    let bounds = [newest.lastPage, max(newest.lastPage, oldest.lastPage, pagesOfFile)]
    for (meta, lastPage) in zip([newest, oldest], bounds) {
      if let what = meta.implausibilityOfTrees(lastPage: lastPage) {
        throw implausible(Int(meta.pageNumber), what)
      }
    }
    if newest.mapSize < oldest.mapSize {
      throw implausible(Int(newest.transactionID % 2), "its map size is smaller than before")
    }
    let expected = (newest.lastPage + 1) * UInt64(pageSize)
    let actual = try size
    var isWhole = actual >= expected
    if !isWhole {
      isWhole = try FreeListReader.listsAllPages(
        missingFrom: self, size: actual, meta: newest)
    }
    guard isWhole else {
      throw LMDBError(
        .truncatedFile(expected: expected, actual: actual), .checkFile, path: path)
    }
    try checkRoot(of: newest.main, .tables, in: newest)
    try checkRoot(of: newest.freeList, .freeList, in: newest)
    return newest
  }

  private func meta(_ index: Int, at offset: UInt64) throws(LMDBError) -> MetaPage {
    let bytes = try read(MetaPage.byteCount, at: offset)
    guard let meta = MetaPage(bytes) else {
      let actual = try size
      throw LMDBError(
        .truncatedFile(expected: offset + UInt64(MetaPage.byteCount), actual: actual), .checkFile,
        path: path)
    }
    guard meta.magic == MetaPage.magic else {
      throw LMDBError(.notAnLMDBFile, .checkFile, path: path)
    }
    return meta
  }

  /// Both meta pages of a file have the same version. If one has that of this build, the other is
  /// damaged.
  private func checkVersions(_ first: MetaPage, _ second: MetaPage?) throws(LMDBError) {
    let versions = [first.version, second?.version ?? first.version]
    guard let other = versions.firstIndex(where: { $0 != MetaPage.version }) else { return }
    guard !versions.contains(MetaPage.version) else {
      throw implausible(other, "its version is \(versions[other])")
    }
    guard first.version <= MetaPage.highestVersion else {
      throw implausible(0, "its version is \(first.version)")
    }
    throw LMDBError(.unsupportedFormatVersion(first.version), .checkFile, path: path)
  }

  /// The root must be the page that its number claims, and hold the content of such a root.
  private func checkRoot(
    of tree: MetaPage.Tree, _ content: TreePage.RootContent, in meta: MetaPage
  ) throws(LMDBError) {
    guard tree.root != MetaPage.noRoot else { return }
    let bytes = try read(Int(meta.pageSize), at: tree.root * UInt64(meta.pageSize))
    guard bytes.count == Int(meta.pageSize) else {
      throw LMDBError(.notAnLMDBFile, .checkFile, path: path)
    }
    let what = unsafe bytes.withUnsafeBytes { bytes in
      unsafe TreePage(bytes).implausibility(asRootOf: tree, content)
    }
    if let what {
      throw implausible(Int(meta.transactionID % 2), "page \(tree.root) is not its root: \(what)")
    }
  }

  private func implausible(_ page: Int, _ what: String) -> LMDBError {
    LMDBError(.implausibleMeta(page: page, what: what), .checkFile, path: path)
  }
}
