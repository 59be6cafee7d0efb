internal import CLedgerLMDB
internal import Synchronization

/// The pages of a data file that are checked before LMDB walks them.
package enum TreeCheckExtent: Sendable, Hashable {
  /// The paths to the pages that opening and writing touch: some dozen pages, however large the
  /// file is.
  case paths
  /// Every page, up to a number of pages and a time; the paths of `paths` first, then the small
  /// tables.
  case everything(maximumPageCount: Int = .max, maximumDuration: Duration? = nil)

  /// A limit for checks before an operation that should be quick: the pages of 256 MiB, which take
  /// a tenth of a second if the system has them in memory.
  package static let bounded = TreeCheckExtent.everything(
    maximumPageCount: 65_536, maximumDuration: .seconds(2))
}

/// The scope of a check, and the conditions that end it.
struct TreeCheckOrder {
  let extent: TreeCheckExtent
  /// The tables that may exist.
  let tables: [TableDescription]
  /// Whether to refuse trees, too, that can be walked but do not hold as many entries as they
  /// should: they must not be written to.
  var refusesMiscounts: Bool
  /// Whether to refuse, too, pages that are neither in a tree nor free.
  var refusesLeaks = false
  /// Called now and then. Once it returns true, the check fails with ``LMDBRefusal/closed``.
  var isAwaited: () -> Bool = { false }
}

extension EnvironmentCore {
  /// The maximum number of pages that a check of the paths reads. An intact file has fewer on them,
  /// unless its free list is very long.
  private static let pathBudget = 4_096

  /// The number of times that a finding must occur to count: a meta page that was read while a
  /// writer wrote it may be half old and half new.
  private static let findingCount = 3

  /// Refuses a file whose trees LMDB could not walk safely.
  func checkTrees(_ order: TreeCheckOrder) throws(LMDBError) {
    try checkTrees(.paths, order, budget: Self.pathBudget, until: nil)
    if case .everything(let budget, let duration) = order.extent, budget > 0 {
      try checkTrees(
        .everything, order, budget: budget, until: duration.map { ContinuousClock.now + $0 })
    }
  }

  private func checkTrees(
    _ extent: TreeCheck.Extent, _ order: TreeCheckOrder, budget: Int,
    until deadline: ContinuousClock.Instant?
  ) throws(LMDBError) {
    // From here on no page that the newest meta page leads to is reused.
    let transaction = try unsafe begin(flags: UInt32(MDB_RDONLY))
    defer { unsafe mdb_txn_abort(transaction) }
    var descriptor: Int32 = -1
    try require(.getDescriptor) { unsafe mdb_env_get_fd(handle, &descriptor) }

    var isEnded = false
    let goesOn = {
      isEnded = isEnded || order.isAwaited()
      return !isEnded && deadline.map { ContinuousClock.now < $0 } ?? true
    }
    var findingCount = 0
    while true {
      let meta = try newestMeta(of: descriptor)
      let reader = PageReader(descriptor: descriptor, pageSize: Int(meta.pageSize))
      if extent == .everything { reader.readAhead(upTo: budget) }
      var check = TreeCheck(
        reader, meta: meta, extent: extent, tables: Set(order.tables.map(\.name)), budget: budget,
        while: goesOn)
      do throws(PageDamage) {
        try check.run()
        break
      } catch {
        if error.isMiscount, !order.refusesMiscounts { break }
        if error.isLeak, !order.refusesLeaks { break }
        findingCount += 1
        guard findingCount < Self.findingCount else {
          throw LMDBError(
            .damagedPage(page: error.page, what: error.what), .checkFile, path: path)
        }
      }
    }
    if isEnded { throw LMDBError(.closed, .checkFile, path: path) }
  }

  // MARK: The meta pages

  /// The number of times that the meta pages are read until they are consistent.
  private static let maximumMetaAttemptCount = 16

  /// The newer of the two meta pages, which may have been damaged since the file was opened.
  private func newestMeta(of descriptor: Int32) throws(LMDBError) -> MetaPage {
    var attemptCount = 0
    while true {
      do throws(PageDamage) {
        return try Self.plausibleMeta(of: descriptor)
      } catch {
        attemptCount += 1
        guard attemptCount < Self.maximumMetaAttemptCount else {
          throw LMDBError(
            .implausibleMeta(page: Int(error.page), what: error.what), .checkFile, path: path)
        }
      }
    }
  }

  private static func plausibleMeta(of descriptor: Int32) throws(PageDamage) -> MetaPage {
    let reader = PageReader(descriptor: descriptor, pageSize: MetaPage.byteCount)
    let first = try meta(0, at: 0, reader)
    let second = try meta(1, at: UInt64(first.pageSize), reader)
    guard first.pageSize == second.pageSize else {
      throw PageDamage(page: 1, what: "its page size is \(second.pageSize)")
    }
    let newest = first.transactionID > second.transactionID ? first : second
    let size = reader.byteCount ?? 0
    // A file may lack pages that are free.
    guard newest.lastPage < size / UInt64(newest.pageSize) + FreeListReader.mostMissing else {
      throw PageDamage(
        page: newest.pageNumber,
        what: "its last page is \(newest.lastPage), but the file has \(size) bytes")
    }
    if let what = newest.implausibilityOfTrees(lastPage: newest.lastPage) {
      throw PageDamage(page: newest.pageNumber, what: what)
    }
    return newest
  }

  private static func meta(
    _ index: Int, at offset: UInt64, _ reader: borrowing PageReader
  ) throws(PageDamage) -> MetaPage {
    let bytes = reader.bytes(MetaPage.byteCount, at: offset)
    guard let meta = bytes.flatMap({ MetaPage($0) }), meta.magic == MetaPage.magic,
      meta.version == MetaPage.version, (512...32768).contains(meta.pageSize)
    else { throw PageDamage(page: UInt64(index), what: "it is not a meta page") }
    if let what = meta.implausibility(index: index) {
      throw PageDamage(page: UInt64(index), what: what)
    }
    return meta
  }
}

extension Environment {
  /// Checks every page of the file, before another operation walks all of it.
  ///
  /// - Parameters:
  ///   - tables: The tables that the file may have.
  ///   - goesOn: Called now and then. Once it returns false, the check ends.
  /// - Returns: The problem if a tree does not hold as many entries as it should but can be walked
  ///   all the same; nil if everything is intact.
  /// - Throws: ``LMDBRefusal/damagedPage(page:what:)`` for a page that LMDB must not walk;
  ///   ``LMDBRefusal/closed`` if `goesOn` ended the check, or another thread waits for the end of
  ///   this handle's transactions.
  /// - Complexity: O(pages in use), about 1.5 us each if the system has them in memory.
  package func checkTrees(
    _ extent: TreeCheckExtent, tables: [TableDescription], while goesOn: () -> Bool = { true }
  ) throws(LMDBError) -> LMDBError? {
    try withoutActuallyEscaping(goesOn) { (goesOn) throws(LMDBError) in
      try core.whileOpen(share) { () throws(LMDBError) -> LMDBError? in
        var order = TreeCheckOrder(extent: extent, tables: tables, refusesMiscounts: true) {
          !goesOn() || self.isAwaited
        }
        order.refusesLeaks = true
        do throws(LMDBError) {
          try core.checkTrees(order)
          return nil
        } catch {
          guard error.refusal != nil, error.refusal != .closed else { throw error }
          order.refusesMiscounts = false
          try core.checkTrees(order)
          return error
        }
      }
    }
  }

  /// Checks the pages that the configuration asks for beyond those that opening touches, with the
  /// environment open for others: it may take a while.
  static func checkTrees(
    _ core: EnvironmentCore, _ share: TransactionGate.Share, _ configuration: Configuration,
    _ tables: [TableDescription]
  ) throws(LMDBError) {
    guard case .everything = configuration.treeCheck,
      !core.isChecked.load(ordering: .acquiring)
    else { return }
    let order = TreeCheckOrder(
      extent: configuration.treeCheck, tables: tables,
      refusesMiscounts: configuration.access == .readWrite,
      isAwaited: { core.gate.isAwaited(share) })
    while true {
      do throws(LMDBError) {
        try core.whileOpen(share) { () throws(LMDBError) in try core.checkTrees(order) }
        return core.isChecked.store(true, ordering: .releasing)
      } catch {
        // The map was enlarged meanwhile, and the check had to end for that.
        guard error.refusal == .closed, !core.gate.isClosed(share) else { throw error }
      }
    }
  }
}
