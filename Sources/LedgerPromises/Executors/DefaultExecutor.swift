import Synchronization

/// The executor of promises that name none: one for the whole process.
enum DefaultExecutor {
  private static let queue = PromiseExecutor.serial(label: "LedgerPromises.default")
  private static let replacement = Mutex<PromiseExecutor?>(nil)
  /// So that programs that replace nothing, nearly all, take no lock for each promise.
  private static let isReplaced = Atomic(false)

  static var current: PromiseExecutor {
    guard isReplaced.load(ordering: .acquiring) else { return queue }
    return replacement.withLock { $0 } ?? queue
  }

  static func replace(with executor: PromiseExecutor) -> PromiseExecutor {
    let former = replacement.withLock { replacement in
      defer { replacement = executor }
      return replacement
    }
    isReplaced.store(true, ordering: .releasing)
    return former ?? queue
  }
}
