internal import CLedgerLMDB

/// The name and the sort of keys of a table, as asked for when an environment is opened.
package struct TableDescription: Sendable, Hashable {
  /// How the keys of a table look.
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
/// Made by opening only, in a transaction that was committed, so it is good in every transaction
/// of the environment. Using it with another environment is a mistake that LMDB cannot see.
package struct Table: Sendable, Hashable {
  package let name: String
  package let keys: TableDescription.Keys
  let handle: MDB_dbi
}
