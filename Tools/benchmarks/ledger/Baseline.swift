import CLedgerBaseline

/// Plain C on liblmdb, the floor that everything is measured against.
@safe
final class Baseline {
  private let handle: OpaquePointer

  init(path: String) throws {
    var out: OpaquePointer?
    let status = unsafe baseline_open(path, &out)
    guard status == 0, let handle = unsafe out else { throw BaselineError(status: status) }
    unsafe self.handle = handle
  }

  deinit { unsafe baseline_close(handle) }

  func commit(_ frames: Frames) throws {
    let status = unsafe baseline_commit(
      handle, frames.keys, frames.lengths, frames.keys.count, frames.bytes)
    guard status == 0 else { throw BaselineError(status: status) }
  }

  func put(_ entries: Entries) throws {
    let status = unsafe baseline_put(
      handle, entries.tables, entries.keyLengths, entries.lengths, entries.tables.count,
      entries.bytes)
    guard status == 0 else { throw BaselineError(status: status) }
  }

  func scan(from key: UInt64 = 0) throws -> (events: UInt64, damaged: UInt64) {
    var events: UInt64 = 0
    var damaged: UInt64 = 0
    let status = unsafe baseline_scan(handle, key, &events, &damaged)
    guard status == 0 else { throw BaselineError(status: status) }
    return (events, damaged)
  }
}

/// Frames of one commit, one after the other.
struct Frames {
  var keys: [UInt64] = []
  var lengths: [UInt32] = []
  var bytes: [UInt8] = []
}

/// Entries of one commit in tables of byte keys: each key and its value, one after the other.
struct Entries {
  var tables: [UInt8] = []
  var keyLengths: [UInt16] = []
  var lengths: [UInt32] = []
  var bytes: [UInt8] = []
}

struct BaselineError: Error {
  let status: Int32
}
