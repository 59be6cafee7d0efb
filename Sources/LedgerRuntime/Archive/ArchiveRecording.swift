/// What makes an archive a recording: digests of states, which later builds compare with theirs.
package struct ArchiveRecording: Sendable, Hashable {
  /// Whether values and texts were replaced.
  package var isRedacted: Bool
  /// The digests of states, in the order of positions. The last belongs to the last event.
  package var states: [ArchivedState] = []
}
