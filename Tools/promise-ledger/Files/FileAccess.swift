import ArgumentParser
import LedgerVerbs
import PromiseLedger

/// Options for the way of reading a ledger in a directory.
protocol FileAccess: PatienceOptions {
  var withoutLock: Bool { get }
}

extension FileAccess {
  /// - Parameter writes: Whether the command writes to the ledger, for which it needs the lock.
  func open(_ path: String, toWrite writes: Bool) throws -> BlockingInspector {
    do throws(LedgerError) {
      return try BlockingInspector(at: path, locking: !withoutLock)
    } catch {
      guard error.code == .permissionDenied, !withoutLock else { throw error }
      let other = writes ? "" : " If no process has the ledger open, --without-lock only reads."
      throw Status.Failure(
        Status(error.code),
        "\(error.code): Permission to open the ledger \(path.escapingControlCharacters) is denied. Run the command as a user who may read and write its files.\(other)"
      )
    }
  }
}

extension ArgumentHelp {
  static let withoutLock: Self = """
    Do not register as a reader, so that a directory can be read without permission to write. \
    Only for a ledger that no process has open.
    """
}
