/// A request for several items of a store at once, which ``LedgerSource/answer(_:)`` answers.
public struct ViewRequest: Sendable {
  /// The position after which frames with events are requested; `nil` for no frames.
  package var eventsAfter: Position?
  /// The view ends with the frame that reaches this number of events.
  package var eventLimit = EventSlice.eventCount
  /// The requested parts of the snapshot.
  package var needs = SnapshotNeeds()
  /// The requested values that are stored beside events.
  package var attachments: [AttachmentReference] = []
  /// The lists of a snapshot that the caller knows to be complete.
  package var countedLists = CountedLists()

  package init(eventsAfter: Position? = nil) {
    self.eventsAfter = eventsAfter
  }
}

/// A consistent response of a store: all its contents are of the same moment.
///
/// It contains copies, so that no resources of the store are held in the meantime. ``LedgerSource/answer(_:)`` makes it.
public struct StoreView: Sendable {
  /// The snapshot, with its requested parts.
  package let excerpt: SnapshotExcerpt
  /// The frames with events after the requested position, or after the snapshot if that is further on, in
  /// order.
  package let frames: FrameList
  /// The event after which the frames begin.
  package let start: Position
  /// The commit that wrote this event; `nil` if the event is deleted.
  package let startCommit: CommitID?
  /// The commit that wrote the event at the requested position; `nil` if the event is deleted.
  package let commit: CommitID?
  /// The reason why later frames cannot be read: `corrupt` if the log ends before the requested position.
  package let problem: LedgerError?
  private let attachments: [Position: Result<[UInt8], LedgerError>]

  /// Returns the requested value beside the event at a position.
  package func attachment(of position: Position) throws(LedgerError) -> [UInt8] {
    guard let attachment = attachments[position] else { throw .lacking }
    return try attachment.get()
  }
}

extension StoreView {
  /// Answers a request with several reads of a source.
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
  /// The number of reads does not depend on the size of the request. A remote store may instead fetch all
  /// rows first, at once, and answer from a source over these rows.
  public func answer(_ request: ViewRequest) throws(LedgerError) -> StoreView {
    try StoreView(request, of: self)
  }
}

/// The log's part of a view.
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

  /// Reads the frames after ``start``, and the frame that contains the event at ``start``, because it names
  /// the commit.
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
