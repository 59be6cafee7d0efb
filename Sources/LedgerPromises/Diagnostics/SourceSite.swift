/// The place in the source code that created a promise, for diagnostics.
@usableFromInline
struct SourceSite: Sendable {
  @usableFromInline let file: StaticString
  /// Half a word, which fits behind the text.
  @usableFromInline let shortLine: UInt32

  @inlinable
  init(_ file: StaticString, _ line: UInt) {
    self.file = file
    self.shortLine = UInt32(truncatingIfNeeded: line)
  }

  var line: UInt { UInt(shortLine) }
}

extension SourceSite: CustomStringConvertible {
  @usableFromInline var description: String { "\(file):\(line)" }
}
