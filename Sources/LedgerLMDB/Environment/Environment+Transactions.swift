internal import CLedgerLMDB

/// How to end a write transaction.
package enum WriteDecision<R: ~Copyable>: ~Copyable {
  case commit(R)
  case abort(R)
}

extension WriteDecision: Copyable where R: Copyable {}
extension WriteDecision: Sendable where R: Sendable & ~Copyable {}

extension Environment {
  /// Runs `body` on a consistent view of all tables.
  ///
  /// It must not span a suspension: a view that is held open pins every page that is freed
  /// meanwhile.
  ///
  /// - Throws: ``LMDBError``, or the error that `body` threw.
  @available(*, noasync)
  package func read<R: ~Copyable>(
    _ body: (borrowing ReadTransaction) throws -> R
  ) throws -> R {
    let handle = try unsafe retryingOnGrownMap { () throws(LMDBError) in
      try unsafe core.beginRead()
    }
    defer {
      unsafe core.recycle(handle)
      core.gate.leave(share)
    }
    return try unsafe Self.run(ReadTransaction(RawTransaction(handle, core.seam)), body)
  }

  /// The transaction ends, and its handle is reset, when this returns.
  private static func run<R: ~Copyable>(
    _ transaction: consuming ReadTransaction, _ body: (borrowing ReadTransaction) throws -> R
  ) throws -> R {
    try body(transaction)
  }

  /// Runs `body` in the write transaction, commits when it returns, aborts when it throws.
  ///
  /// Waits without limit for the writer of another process; pass the gate of the ledger first.
  ///
  /// - Throws: ``LMDBError``, or the error that `body` threw. After a failed commit nothing was
  ///   written, unless the error says that its outcome is unknown.
  @available(*, noasync)
  package func write<R: ~Copyable>(
    _ body: (inout WriteTransaction) throws -> R
  ) throws -> R {
    let handle = try unsafe beginWrite()
    defer { endWrite() }
    var transaction = unsafe WriteTransaction(RawTransaction(handle, core.seam))
    let result = try body(&transaction)
    try commit(transaction)
    return result
  }

  /// Like ``write(_:)``, for a body that may decide to write nothing.
  @available(*, noasync)
  package func writeDeciding<R: ~Copyable>(
    _ body: (inout WriteTransaction) throws -> WriteDecision<R>
  ) throws -> R {
    let handle = try unsafe beginWrite()
    defer { endWrite() }
    var transaction = unsafe WriteTransaction(RawTransaction(handle, core.seam))
    switch try body(&transaction) {
    case .commit(let result):
      try commit(transaction)
      return result
    case .abort(let result):
      _ = consume transaction
      return result
    }
  }

  private func beginWrite() throws(LMDBError) -> OpaquePointer {
    guard mayWrite else { throw LMDBError(.readOnly, .begin, path: path) }
    let handle = try unsafe retryingOnGrownMap { () throws(LMDBError) in
      try unsafe core.beginWrite()
    }
    core.gate.setWriter(true)
    return unsafe handle
  }

  private func endWrite() {
    core.gate.setWriter(false)
    core.gate.leave(share)
  }

  private func commit(_ transaction: consuming WriteTransaction) throws(LMDBError) {
    do {
      try transaction.commit()
    } catch {
      throw core.explain(error)
    }
    do {
      try core.flushAfterCommit()
    } catch {
      // LMDB committed; only a power cut can still undo it.
      var unknown = error
      unknown.commitOutcomeIsUnknown = true
      throw unknown
    }
  }

  /// Enters the gate and begins. If another process has made the file larger than our map, waits
  /// until every transaction of this process has ended, adopts the new size, and tries once more.
  private func retryingOnGrownMap(
    _ begin: () throws(LMDBError) -> OpaquePointer
  ) throws(LMDBError) -> OpaquePointer {
    do {
      return try unsafe entering(begin)
    } catch {
      guard error.status == .mapResized else { throw error.at(path) }
    }
    try core.setMapSize(0, share)
    return try unsafe entering(begin)
  }

  private func entering(
    _ begin: () throws(LMDBError) -> OpaquePointer
  ) throws(LMDBError) -> OpaquePointer {
    // Before the gate: a lock that another thread held at the fork is never released here.
    try core.refuseFork()
    try core.gate.enter(share)
    do {
      return try unsafe begin()
    } catch {
      core.gate.leave(share)
      throw error
    }
  }
}
