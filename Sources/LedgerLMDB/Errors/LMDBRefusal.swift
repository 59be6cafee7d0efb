/// The reason why this layer refused to go on, before LMDB could hang, crash or damage the file.
package enum LMDBRefusal: Sendable, Hashable {
  /// The handle was closed.
  case closed
  /// The process is a fork of the one that opened the environment, and does not own LMDB's locks.
  case forkedChild
  /// A second write transaction on one thread, which would deadlock in LMDB.
  case nestedWrite
  /// Closing or growing inside a transaction of the same thread, which would wait for itself.
  case insideTransaction
  /// A write in an environment that was opened for reading only.
  case readOnly
  /// A file system whose locks or shared maps are not coherent between machines.
  case networkFileSystem(type: UInt)
  /// The file is shorter than its own meta pages say; touching the missing part is a SIGBUS.
  case truncatedFile(expected: UInt64, actual: UInt64)
  /// A directory, pipe, socket, device or symbolic link stands where a file must be.
  case notARegularFile(String)
  /// The data file is missing, and the configuration requires it.
  case noDataFile
  /// The data file was replaced after it was checked.
  case dataFileReplaced
  /// Not an LMDB file: wrong magic number, or no meta page where one must be.
  case notAnLMDBFile
  /// LMDB's data format has a version other than 1.
  case unsupportedFormatVersion(UInt32)
  /// Not a power of two from 512 to 32768.
  case unsupportedPageSize(UInt32)
  /// A meta page that LMDB could not have written.
  case implausibleMeta(page: Int, what: String)
  /// A page that could lead LMDB astray, or that lacks something.
  case damagedPage(page: UInt64, what: String)
  /// Another container has a process of the same id on this environment.
  case processIDClash
  /// This process has it open already, with options that do not match.
  case optionsMismatch(String)
  /// A key of the wrong size or for the wrong kind of table.
  case badKey(String)
  /// A table that was not named when the environment was opened.
  case unknownTable(String)
  /// The file system has no room left; LMDB itself reports this as an input/output error.
  case diskFull
}
