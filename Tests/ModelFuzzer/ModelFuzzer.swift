import Foundation
import LedgerFuzzTargets

/// The target, named by the environment variable FUZZ_TARGET.
private let target: FuzzTarget = {
  let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
    fatalError("FUZZ_TARGET must be one of: \(names)")
  }
  return target
}()

/// Called by libFuzzer with each input; a finding ends the process, and libFuzzer then keeps the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  do {
    try target.run(bytes)
  } catch {
    fatalError("\(error)")
  }
  return 0
}
