/// How far a commit extends the data file ahead of the pages that it writes.
///
/// A commit that makes the file longer also waits for the file system's journal; one that
/// overwrites blocks that were written before does not. Blocks that are only reserved, as by
/// `fallocate`, are no help: the first write to them waits for the journal too.
package struct FileGrowth: Sendable, Hashable {
  /// The maximum number of bytes beyond the needs of the commit; 0 to extend nothing.
  package var largestStep: Int
  /// The maximum size of the file, in bytes. A step that would pass it is not taken.
  package var sizeLimit: Int

  package init(largestStep: Int, sizeLimit: Int) {
    self.largestStep = largestStep
    self.sizeLimit = sizeLimit
  }

  /// The number of commits of the same size for which a step is enough: a busy writer has large
  /// commits, and takes large steps.
  private static let commitsPerStep = 64
  private static let smallestStep = 64 << 10
  /// The pages that a commit writes besides those of its values: copies of branches and of the free
  /// list.
  private static let additionalPages = 16

  /// The size to extend the file to before a commit; `nil` if it is long enough or must not grow.
  ///
  /// - Parameters:
  ///   - byteCount: The size of the commit's values, in bytes.
  ///   - used: The end of the last page in use, in bytes.
  ///   - size: The size of the file, in bytes.
  func newSize(for byteCount: Int, used: Int, size: Int, pageSize: Int) -> Int? {
    let need = used + byteCount + Self.additionalPages * pageSize
    guard largestStep > 0, size < need else { return nil }
    let step = min(max(Self.commitsPerStep * byteCount, Self.smallestStep), largestStep)
    let end = (need + step) / pageSize * pageSize
    return end <= sizeLimit ? max(end, size) : nil
  }
}
