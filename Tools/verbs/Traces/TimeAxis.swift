import LedgerRuntime

/// The columns of a waterfall by time. Times in which the work does nothing are folded.
struct TimeAxis {
  /// A time that is drawn with one scale.
  struct Segment {
    let start: Timestamp
    let end: Timestamp
    /// Whether its columns do not depend on its length.
    let isFolded: Bool
    /// The first column.
    var offset = 0.0
    var columnCount = 0.0

    var length: Double { Double((end - start).clampedNanoseconds) }
  }

  private(set) var segments: [Segment]
  let columnCount: Int

  /// - Parameters:
  ///   - columnCount: The number of columns.
  ///   - foldColumnCount: Returns the number of columns that a folded time of a length should have.
  init(_ trace: WorkTrace, columnCount: Int, _ foldColumnCount: (Duration) -> Int) {
    self.columnCount = columnCount
    segments = Self.segments(of: trace)
    let folds = segments.indices.filter { segments[$0].isFolded }
    // What is folded takes up to three fifths of the columns, and the longest times have their marks first.
    var room = columnCount * 3 / 5
    let least = min(2, room / max(1, folds.count))
    room -= least * folds.count
    for index in folds.sorted(by: { segments[$0].length > segments[$1].length }) {
      let wanted = foldColumnCount(segments[index].end - segments[index].start)
      let count = wanted - least <= room ? wanted : least
      room -= count - least
      segments[index].columnCount = Double(count)
    }
    let rest = Double(columnCount) - folds.reduce(0) { $0 + segments[$1].columnCount }
    let length = segments.reduce(0) { $1.isFolded ? $0 : $0 + $1.length }
    var offset = 0.0
    for index in segments.indices {
      if !segments[index].isFolded, length > 0 {
        segments[index].columnCount = rest * (segments[index].length / length)
      }
      segments[index].offset = offset
      offset += segments[index].columnCount
    }
  }

  /// The columns of a time, between 0 and ``columnCount``; at least one.
  func columns(from start: Timestamp, to end: Timestamp) -> Range<Int> {
    // Sums of fractions are not exact.
    let first = min(max(Int(offset(of: start, isEnd: false) + 1e-6), 0), columnCount - 1)
    let last = Int((offset(of: end, isEnd: true) - 1e-6).rounded(.up))
    return first..<min(max(last, first + 1), columnCount)
  }

  /// - Parameter isEnd: Whether a time between two segments belongs to the first of them.
  private func offset(of time: Timestamp, isEnd: Bool) -> Double {
    for segment in segments where isEnd ? time <= segment.end : time < segment.end {
      guard time > segment.start else { return segment.offset }
      let part = Double((time - segment.start).clampedNanoseconds) / segment.length
      return segment.offset + segment.columnCount * part
    }
    return segments.last.map { $0.offset + $0.columnCount } ?? 0
  }

  // MARK: Segments

  private static func segments(of trace: WorkTrace) -> [Segment] {
    let busy = busyTimes(of: trace)
    let busyLength = busy.reduce(Duration.zero) { $0 + ($1.end - $1.start) }
    var segments: [Segment] = []
    func addIdle(from start: Timestamp, to end: Timestamp) {
      var start = start
      // So that a fold lies on one line.
      for cut in cuts(of: trace) + [end] where cut > start && cut <= end {
        let isFolded = (cut - start) * 10 > busyLength
        segments.append(Segment(start: start, end: cut, isFolded: isFolded))
        start = cut
      }
    }
    var last = trace.created.time
    for (start, end) in busy {
      addIdle(from: last, to: start)
      if end > start { segments.append(Segment(start: start, end: end, isFolded: false)) }
      last = max(last, end)
    }
    addIdle(from: last, to: trace.end)
    return segments
  }

  /// The times in which code ran, in their order, none of which touch.
  private static func busyTimes(
    of trace: WorkTrace
  ) -> [(start: Timestamp, end: Timestamp)] {
    var times: [(start: Timestamp, end: Timestamp)] = []
    for span in trace.spans {
      guard let end = span.busyEnd(in: trace) else { continue }
      if let last = times.last, span.start <= last.end {
        times[times.count - 1].end = max(last.end, end)
      } else {
        times.append((span.start, end))
      }
    }
    return times
  }

  /// The times at which one sort of idleness follows another, in their order.
  private static func cuts(of trace: WorkTrace) -> [Timestamp] {
    let times = trace.spans.flatMap { span in
      span.isIdle || span.isAttempt ? [span.start, span.end ?? trace.end] : []
    }
    return Set(times).sorted()
  }
}

extension WorkTrace.Span {
  /// The end of the time in which code ran; `nil` if none ran.
  func busyEnd(in trace: WorkTrace) -> Timestamp? {
    switch content {
    case .attempt(let attempt): end == nil ? trace.end : attempt.lastSign
    case .step: end
    default: nil
    }
  }

  /// Whether no attempt ran.
  var isIdle: Bool {
    switch content {
    case .queued, .deleted, .idle: true
    default: false
    }
  }

  fileprivate var isAttempt: Bool {
    if case .attempt = content { true } else { false }
  }
}
