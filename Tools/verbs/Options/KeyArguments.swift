import ArgumentParser
import LedgerRuntime

extension PromiseKey {
  /// A key of the command line.
  init(checking text: String) throws {
    self = try checkingKey { () throws(LedgerError) in try PromiseKey(text) }
  }
}

extension HandlerKey {
  /// A key of the command line.
  init(checking text: String) throws {
    self = try checkingKey { () throws(LedgerError) in try HandlerKey(text) }
  }
}

private func checkingKey<Key>(_ make: () throws(LedgerError) -> Key) throws -> Key {
  do throws(LedgerError) {
    return try make()
  } catch {
    throw ValidationError("The key is invalid: \(error.message)")
  }
}
