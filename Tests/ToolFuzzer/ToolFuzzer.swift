import LedgerArgumentRules

/// Called by libFuzzer with each input; a finding ends the process, and libFuzzer then keeps the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  do {
    try ArgumentRules.check(bytes)
  } catch {
    fatalError("\(error)")
  }
  return 0
}
