/// What is asked of a store at once.
package struct ViewRequest: Sendable {
  /// Frames with events after this position are wanted; `nil` for none.
  package var eventsAfter: Position?
  /// The view ends with the frame that reaches this number of events.
  package var eventLimit = EventSlice.eventCount
  /// What is wanted of the snapshot.
  package var needs = SnapshotNeeds()
  /// Values that stand beside events.
  package var attachments: [AttachmentReference] = []
  /// Which lists of a snapshot the caller knows to be complete.
  package var countedLists = CountedLists()

  package init(eventsAfter: Position? = nil) {
    self.eventsAfter = eventsAfter
  }
}

/// One consistent answer of a store: everything in it is of the same moment.
///
/// It holds copies, so that nothing of the store is kept meanwhile.
package struct StoreView: Sendable {
  /// The snapshot, with what was asked for of it.
  package let excerpt: SnapshotExcerpt
  /// Frames with events after the position asked for, in order; with events after the snapshot, if that
  /// is further on.
  package let frames: FrameList
  /// The event that the frames come after.
  package let start: Position
  /// The commit that wrote it; `nil` if the event is deleted.
  package let startCommit: CommitID?
  /// The commit that wrote the event at the position asked for; `nil` if the event is deleted.
  package let commit: CommitID?
  /// Why the frames after these cannot be read: `corrupt` if the log ends before the position asked
  /// for.
  package let problem: LedgerError?
  private let attachments: [Position: Result<[UInt8], LedgerError>]

  /// The value beside the event at a position, which was asked for.
  package func attachment(of position: Position) throws(LedgerError) -> [UInt8] {
    guard let attachment = attachments[position] else { throw .lacking }
    return try attachment.get()
  }
}

extension StoreView {
  /// Answers with several reads of a source.
  fileprivate init(_ request: ViewRequest, of source: any LedgerSource) throws(LedgerError) {
    let summary = try source.snapshotSummary()
    let reader = SnapshotReader(source, summary: summary, countedLists: request.countedLists)
    excerpt = try reader.excerpt(request.needs)
    var attachments: [Position: Result<[UInt8], LedgerError>] = [:]
    let found = request.attachments.isEmpty ? [] : try source.attachments(request.attachments)
    for (wanted, attachment) in zip(request.attachments, found) {
      if case .failure(let error) = attachment, !error.isDamage { throw error }
      attachments[wanted.position] = attachment
    }
    self.attachments = attachments
    let log = LogPart(request, summary, of: source)
    (frames, problem) = (log.frames, log.problem)
    (start, startCommit, commit) = (log.start, log.startCommit, log.commit)
  }
}

extension LedgerSource {
  /// Answers a request with several reads; the source must hold one view.
  ///
  /// How many there are does not depend on how much is asked for. A store that is far away may instead
  /// fetch the rows first, all at once, and have a source of these answer.
  package func answer(_ request: ViewRequest) throws(LedgerError) -> StoreView {
    try StoreView(request, of: self)
  }
}

/// What a view shows of the log.
private struct LogPart {
  var frames = FrameList()
  var problem: LedgerError?
  var start = Position.start
  var startCommit: CommitID?
  var commit: CommitID?

  init(_ request: ViewRequest, _ summary: SnapshotSummary, of source: any LedgerSource) {
    guard let position = request.eventsAfter else { return }
    start = max(position, summary.position)
    do throws(LedgerError) {
      if position < start { commit = try source.commit(at: position) }
      try read(from: source, isStartThere: start > summary.deletedThrough, request.eventLimit)
      if position == start { commit = startCommit }
      guard commit != nil || position <= summary.deletedThrough else {
        throw .vanished(after: try source.head(), known: position)
      }
    } catch {
      problem = error
    }
  }

  /// Reads the frames after ``start``, and with them the one that has the event there: it names the
  /// commit.
  private mutating func read(
    from source: any LedgerSource, isStartThere: Bool, _ limit: Int
  ) throws(LedgerError) {
    let before = isStartThere ? Position(rawValue: start.rawValue - 1) : start
    let limit = isStartThere && limit < .max ? limit + 1 : limit
    _ = try source.read(after: before, limit: limit) { frame in
      let header = frame.header
      if header.firstPosition <= start, start <= header.lastPosition { startCommit = header.commit }
      if header.lastPosition > start { frames.append(frame) }
    }
  }
}
