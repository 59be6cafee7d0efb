import LedgerRuntime

/// The waterfall of a trace, line by line: start, length, name, and a bar. Facts about a span follow on a line of
/// their own.
struct Waterfall {
  private static let maximumNameWidth = 24

  private let trace: WorkTrace
  private let isASCII: Bool
  private let nameWidth: Int
  private let startWidth: Int
  private let lengthWidth: Int
  private let axis: TimeAxis

  /// - Parameter width: The number of columns of a line.
  init(_ trace: WorkTrace, width: Int, isASCII: Bool) {
    self.trace = trace
    self.isASCII = isASCII
    let names = trace.spans.map { $0.name.count } + ["what".count]
    let nameWidth = min(names.max() ?? 0, Self.maximumNameWidth, width / 4)
    self.nameWidth = nameWidth
    let starts = trace.spans.map { $0.startWords(in: trace, isASCII: isASCII).count }
    let lengths = trace.spans.map { $0.lengthWords(in: trace, isASCII: isASCII).count }
    startWidth = max(starts.max() ?? 0, "start".count)
    lengthWidth = max(lengths.max() ?? 0, "length".count)
    let columnCount = max(8, width - startWidth - lengthWidth - nameWidth - 6)
    axis = TimeAxis(trace, columnCount: columnCount) {
      Self.mark(for: $0, isASCII: isASCII).count
    }
  }

  /// The lines, the titles first.
  var lines: [String] {
    [line("start", "length", "what", "")] + trace.spans.flatMap(lines(for:))
  }

  private func lines(for span: WorkTrace.Span) -> [String] {
    let start = span.startWords(in: trace, isASCII: isASCII)
    let length = span.lengthWords(in: trace, isASCII: isASCII)
    let main = line(start, length, span.name, bar(of: span))
    guard let details = span.details else { return [main] }
    return [main, line("", "", "\(span.isInAttempt ? "    " : "  ")\(details)", "")]
  }

  private func line(_ start: String, _ length: String, _ name: String, _ bar: String) -> String {
    let numbers = [
      start.padded(toWidth: startWidth, isRightAligned: true),
      length.padded(toWidth: lengthWidth, isRightAligned: true),
    ]
    var name = name
    if !bar.isEmpty {
      if name.count > nameWidth {
        name = String(name.prefix(nameWidth - (isASCII ? 2 : 1))) + (isASCII ? ".." : "…")
      }
      name = name.padded(toWidth: nameWidth)
    }
    var line = (numbers + [name, bar]).joined(separator: "  ")
    while line.last == " " { line.removeLast() }
    return line
  }

  // MARK: Bars

  private func bar(of span: WorkTrace.Span) -> String {
    let end = span.isMoment ? span.start : span.end ?? trace.end
    let columns = axis.columns(from: span.start, to: end)
    var cells = [Character](repeating: " ", count: axis.columnCount)
    guard !span.isMoment else {
      cells[columns.lowerBound] = isASCII ? "*" : "◆"
      return String(cells)
    }
    for column in columns { cells[column] = idle }
    if let busyEnd = span.busyEnd(in: trace) {
      for column in axis.columns(from: span.start, to: busyEnd) { cells[column] = character(span) }
    }
    for segment in axis.segments
    where segment.isFolded && segment.start >= span.start && segment.end <= end && !span.isPause {
      let mark = Self.mark(for: segment.end - segment.start, isASCII: isASCII)
      let fold = axis.columns(from: segment.start, to: segment.end)
      // A fold may begin and end within a column.
      guard fold.count >= mark.count else { continue }
      cells.replaceSubrange(fold.prefix(mark.count), with: mark)
    }
    if span.isFailure, let last = columns.last { cells[last] = isASCII ? "x" : "×" }
    return String(cells)
  }

  private var idle: Character { isASCII ? "." : "┄" }

  private func character(_ span: WorkTrace.Span) -> Character {
    if case .step = span.content { isASCII ? "#" : "█" } else { isASCII ? "=" : "━" }
  }

  /// The mark in place of a time that is folded.
  private static func mark(for length: Duration, isASCII: Bool) -> [Character] {
    let dashes = isASCII ? ".." : "┄┄"
    return Array("\(dashes) \(length.words(isASCII: isASCII)) \(dashes)")
  }
}
