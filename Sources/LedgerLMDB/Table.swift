internal import CLedgerLMDB

/// The name and the kind of keys of a table that is requested when an environment is opened.
package struct TableDescription: Sendable, Hashable {
  /// The kind of a table's keys.
  package enum Keys: Sendable, Hashable {
    /// `UInt64`, ordered by number (`MDB_INTEGERKEY`).
    case integer
    /// 1 to 511 bytes, ordered byte by byte.
    case bytes
  }

  package let name: String
  package let keys: Keys

  package init(_ name: String, keys: Keys) {
    self.name = name
    self.keys = keys
  }
}

/// A named table of an open environment ("database" in LMDB's manual).
///
/// Only opening creates one, in a transaction that was committed, so it is valid in every
/// transaction of the environment. Using it with another environment is a mistake that LMDB cannot
/// detect.
package struct Table: Sendable, Hashable {
  package let name: String
  package let keys: TableDescription.Keys
  let handle: MDB_dbi
}
