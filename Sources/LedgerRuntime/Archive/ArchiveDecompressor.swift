/// Makes the text of an archive of the bytes of a compressed file.
///
/// The library knows no compression itself, so that no program needs a library for it that does not use it.
package protocol ArchiveDecompressor: AnyObject {
  /// The next bytes of the text; empty at the end.
  ///
  /// - Parameter read: The next bytes of the file; empty at its end.
  /// - Throws: The errors of `read`; `corrupt` if the file is damaged.
  func next(_ read: () throws(LedgerError) -> [UInt8]) throws(LedgerError) -> [UInt8]
}
