/// The operation that failed: a function of LMDB, or one of our own steps around it.
///
/// The raw value is the C name, as in the LMDB manual. Each case is a fault point too:
/// ``CallFaults`` can answer in its place.
package enum LMDBOperation: String, Sendable, Hashable, CaseIterable {
  case createEnvironment = "mdb_env_create"
  case setMapSize = "mdb_env_set_mapsize"
  case setMaximumReaders = "mdb_env_set_maxreaders"
  case setMaximumTables = "mdb_env_set_maxdbs"
  case openEnvironment = "mdb_env_open"
  case getDescriptor = "mdb_env_get_fd"
  case environmentInfo = "mdb_env_info"
  case environmentStatistics = "mdb_env_stat"
  case syncEnvironment = "mdb_env_sync"
  case checkReaders = "mdb_reader_check"
  case listReaders = "mdb_reader_list"
  case begin = "mdb_txn_begin"
  case renew = "mdb_txn_renew"
  case commit = "mdb_txn_commit"
  case openTable = "mdb_dbi_open"
  case tableFlags = "mdb_dbi_flags"
  case tableStatistics = "mdb_stat"
  case emptyTable = "mdb_drop"
  case get = "mdb_get"
  case put = "mdb_put"
  case delete = "mdb_del"
  case openCursor = "mdb_cursor_open"
  case moveCursor = "mdb_cursor_get"
  case putAtCursor = "mdb_cursor_put"

  // Our own steps, named after the system call that can fail.
  case checkFile = "pread"
  case checkFileSystem = "statfs"
  case createFile = "link"
  case reserveLockFile = "fallocate"
  case syncFile = "fsync"
  case extendFile = "pwrite"
  case close = "mdb_env_close"
}
