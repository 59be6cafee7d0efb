/// The one place through which every fallible call of C goes.
///
/// In a debug build a ``FaultInjector`` can answer in C's place; in a release build this is the
/// bare call. It holds the injector unretained, because a transaction that holds it must be
/// trivial to discard (`discard self` demands that); the environment keeps the injector alive.
@safe
package struct CallSeam {
  #if DEBUG
    private let faults: Unmanaged<FaultInjector>?

    init(_ faults: FaultInjector?) {
      unsafe self.faults = faults.map { unsafe Unmanaged.passUnretained($0) }
    }
  #else
    init(_ faults: FaultInjector?) {}
  #endif

  /// Makes the call, unless a fault is due; `instead` then puts things as C would leave them.
  @inline(__always)
  func callAsFunction(
    _ operation: LMDBOperation, instead: () -> Void = {}, _ call: () -> Int32
  ) -> LMDBStatus {
    #if DEBUG
      if let faults = unsafe faults,
        let forced = unsafe faults._withUnsafeGuaranteedRef({ $0.next(operation) })
      {
        instead()
        return forced
      }
    #endif
    return LMDBStatus(call())
  }
}
