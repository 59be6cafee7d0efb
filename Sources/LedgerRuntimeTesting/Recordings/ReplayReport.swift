public import LedgerRuntime

/// What a ``Replayer`` found.
public struct ReplayReport: Sendable, Hashable {
  /// What was found in one recording.
  public struct File: Sendable, Hashable {
    /// The path of the recording.
    public let path: String
    /// The number of recorded digests of states that were compared with those of this build: all up to the first that
    /// differs. It is 0 if the file is an archive without digests, which says nothing about states.
    public let comparedDigestCount: Int
    /// The divergences; empty if there are none.
    public let divergences: [RecordingDivergence]
  }

  /// The recordings, in the order in which they were given.
  public private(set) var files: [File] = []
  /// The situations that occur in the recordings that could be read.
  public internal(set) var coverage = RecordingCoverage()

  init() {}

  /// The divergences of all recordings.
  public var divergences: [RecordingDivergence] { files.flatMap(\.divergences) }

  mutating func add(
    _ divergences: [RecordingDivergence], in path: String, comparedDigestCount: Int = 0
  ) {
    files.append(
      File(path: path, comparedDigestCount: comparedDigestCount, divergences: divergences))
  }
}

/// The shortest prefix of a recording in which something diverges.
public struct MinimalRecording: Sendable, Hashable {
  /// The last event of the prefix, with which a commit ended.
  public let position: Position
  /// The divergences of the prefix.
  public let divergences: [RecordingDivergence]
  /// Whether every shorter prefix was tried; otherwise a shorter one may fail, too.
  public let isProven: Bool
  /// The prefix, to be written to a file: a recording of its own.
  public let bytes: [UInt8]
}
