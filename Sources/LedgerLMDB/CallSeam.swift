internal import CLedgerLMDB
internal import LedgerSystem

/// The one place through which every fallible call of C goes.
///
/// In a debug build a ``CallFaults`` can answer in C's place; in a release build this is the bare
/// call. It holds the faults unretained, because a transaction that holds them must be trivial to
/// discard (`discard self` demands that); the environment keeps them alive.
@safe
package struct CallSeam {
  #if DEBUG
    private unowned(unsafe) let faults: (any CallFaults)?
  #endif

  init(_ faults: (any CallFaults)?) {
    #if DEBUG
      unsafe self.faults = faults
    #endif
  }

  /// Makes the call, unless a fault is due.
  @inline(__always)
  func callAsFunction(_ operation: LMDBOperation, _ call: () -> Int32) -> LMDBStatus {
    forced(operation) ?? LMDBStatus(call())
  }

  /// Makes the call, unless a fault is due, and throws unless it succeeds.
  func require(
    _ operation: LMDBOperation, path: String? = nil, _ call: () -> Int32
  ) throws(LMDBError) {
    let status = self(operation, call)
    guard status == .success else { throw LMDBError(status, operation, path: path) }
  }

  /// Runs system calls, unless a fault is due.
  func system(
    _ operation: LMDBOperation, _ path: String, _ calls: () throws(SystemError) -> Void
  ) throws(LMDBError) {
    if let status = forced(operation) { throw LMDBError(status, operation, path: path) }
    try LMDBError.mapping(operation, calls)
  }

  /// `mdb_txn_commit`. A forced failure has the effects of a real one: the handle is freed.
  func commit(_ transaction: OpaquePointer) -> LMDBStatus {
    if let forced = forced(.commit) {
      unsafe mdb_txn_abort(transaction)
      return forced
    }
    return LMDBStatus(unsafe mdb_txn_commit(transaction))
  }

  /// The status that a test requests instead of the call.
  @inline(__always)
  private func forced(_ operation: LMDBOperation) -> LMDBStatus? {
    #if DEBUG
      return unsafe faults?.next(operation)
    #else
      return nil
    #endif
  }
}
