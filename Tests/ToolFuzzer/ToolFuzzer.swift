import Foundation
import LedgerArchiveRules
import LedgerArgumentRules

/// Whether the bytes are an archive rather than the tool's arguments, as the environment variable FUZZ_TARGET says.
private let isArchive = ProcessInfo.processInfo.environment["FUZZ_TARGET"] == "archives"

/// Called by libFuzzer with each input; a finding ends the process, and libFuzzer then keeps the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  do {
    try isArchive ? ArchiveRules.check(bytes) : ArgumentRules.check(bytes)
  } catch {
    fatalError("\(error)")
  }
  return 0
}
