internal import CLedgerLMDB

/// How many pages of a data file are looked at before LMDB walks them.
package enum TreeCheckExtent: Sendable, Hashable {
  /// The ways to what opening and writing touch: some dozen pages, however large the file is.
  case paths
  /// Every page, the small tables first, up to so many; the ways of `paths` first.
  case everything(maximumPageCount: Int)

  /// The pages of 256 MiB, a tenth of a second: what may be looked at before something that need not take
  /// longer than that.
  package static let largestCheck = 65_536
}

extension EnvironmentCore {
  /// The pages that a check of the ways reads at most; an intact file has fewer on them, unless its free
  /// list is very long.
  private static let pathBudget = 4_096

  /// How often a finding is looked at again while a writer moves the meta pages.
  private static let maximumAttemptCount = 64

  /// Refuses a file whose trees LMDB could not walk safely.
  ///
  /// - Parameter refusesMiscounts: Whether trees are refused, too, that can be walked and do not hold as
  ///   many entries as they should: nothing must be written to them.
  func checkTrees(
    _ extent: TreeCheckExtent, refusesMiscounts: Bool, tick: () -> Void = {}
  ) throws(LMDBError) {
    try checkTrees(.paths, budget: Self.pathBudget, refusesMiscounts, tick)
    if case .everything(let budget) = extent, budget > 0 {
      try checkTrees(.everything, budget: budget, refusesMiscounts, tick)
    }
  }

  /// A finding counts only when it stays while the meta pages do not move: one that was read while a writer
  /// wrote it may be half of each.
  private func checkTrees(
    _ extent: TreeCheck.Extent, budget: Int, _ refusesMiscounts: Bool, _ tick: () -> Void
  ) throws(LMDBError) {
    // From here on no page that the newest meta page leads to is used again.
    let transaction = try unsafe begin(flags: UInt32(MDB_RDONLY))
    defer { unsafe mdb_txn_abort(transaction) }
    let pinned = UInt64(unsafe mdb_txn_id(transaction))
    var descriptor: Int32 = -1
    let status = seam(.getDescriptor) { unsafe mdb_env_get_fd(handle, &descriptor) }
    guard status == .success else { throw LMDBError(status, .getDescriptor, path: path) }

    var last: (damage: PageDamage, meta: MetaPage)?
    var steadyCount = 0
    for _ in 0..<Self.maximumAttemptCount {
      guard let meta = Self.newestMeta(of: descriptor), meta.transactionID >= pinned,
        meta.implausibilityOfTrees(lastPage: meta.lastPage) == nil
      else { continue }
      do throws(PageDamage) {
        try withoutActuallyEscaping(tick) { (tick) throws(PageDamage) in
          let reader = PageReader(descriptor: descriptor, pageSize: Int(meta.pageSize))
          var check = TreeCheck(reader, meta: meta, extent: extent, budget: budget, tick: tick)
          try check.run()
        }
        return
      } catch {
        if error.isMiscount, !refusesMiscounts { return }
        steadyCount = last?.meta == meta && last?.damage == error ? steadyCount + 1 : 0
        last = (error, meta)
        if steadyCount >= 2 { break }
      }
    }
    guard let damage = last?.damage else { return }
    throw LMDBError(
      .damagedPage(page: damage.page, what: damage.what), .checkFile, path: path)
  }

  /// The newer of the two meta pages, which were checked when the file was opened.
  private static func newestMeta(of descriptor: Int32) -> MetaPage? {
    let reader = PageReader(descriptor: descriptor, pageSize: MetaPage.byteCount)
    guard let first = reader.bytes(MetaPage.byteCount, at: 0).flatMap({ MetaPage($0) }),
      let second = reader.bytes(MetaPage.byteCount, at: UInt64(first.pageSize))
        .flatMap({ MetaPage($0) }),
      first.pageSize == second.pageSize, (512...32768).contains(first.pageSize)
    else { return nil }
    return first.transactionID > second.transactionID ? first : second
  }
}

extension Environment {
  /// Looks at every page of the file, before something walks all of it.
  ///
  /// - Parameter tick: Called now and then.
  /// - Returns: What does not hold as many entries as it should, and can be walked all the same; nil if
  ///   everything is whole.
  /// - Throws: ``LMDBRefusal/damagedPage(page:what:)`` for what LMDB must not walk.
  /// - Complexity: O(pages in use), about 1.5 us each.
  package func checkTrees(
    _ extent: TreeCheckExtent, tick: () -> Void = {}
  ) throws(LMDBError) -> LMDBError? {
    try core.whileOpen(share) { () throws(LMDBError) -> LMDBError? in
      do throws(LMDBError) {
        try core.checkTrees(extent, refusesMiscounts: true, tick: tick)
        return nil
      } catch {
        guard error.refusal != nil else { throw error }
        try core.checkTrees(extent, refusesMiscounts: false, tick: tick)
        return error
      }
    }
  }
}
