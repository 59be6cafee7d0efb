/// The place in the source code that created a promise, for diagnostics.
@usableFromInline
struct SourceSite: Sendable {
  @usableFromInline let file: StaticString
  @usableFromInline let line: UInt

  @inlinable
  init(_ file: StaticString, _ line: UInt) {
    self.file = file
    self.line = line
  }
}

extension SourceSite: CustomStringConvertible {
  @usableFromInline var description: String { "\(file):\(line)" }
}
