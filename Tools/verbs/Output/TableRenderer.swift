import LedgerRuntime

/// One line for each record, in columns.
///
/// On a terminal, times have their ages, and no line is longer than its width: ids and times become shorter where
/// they must, and the rest of a line that is still too long is cut.
struct TableRenderer: RecordRenderer {
  /// The least width that the last column should have.
  private static let detailsWidth = 20
  private static let gap = 2
  /// The last line of a list whose rest cannot be read.
  static let incompleteMark = "(incomplete: the rest cannot be read)\n"

  private let columns: [Column]
  private let isStyled: Bool
  private let lineLimit: Int?
  /// The time to which ages refer.
  private let now: Timestamp

  init(columns: [Column], isStyled: Bool, lineLimit: Int?) {
    self.columns = lineLimit.map { Self.shortened(columns, toFit: $0) } ?? columns
    self.isStyled = isStyled
    self.lineLimit = lineLimit
    now = SystemLedgerClock().now()
  }

  /// The columns, of which the least important become narrower if there is no room for all.
  private static func shortened(_ columns: [Column], toFit limit: Int) -> [Column] {
    var columns = columns
    func isTooWide() -> Bool {
      let width = columns.reduce(0) { $0 + $1.width } + gap * (columns.count - 1)
      return width + (columns.last?.width == 0 ? detailsWidth : 0) > limit
    }
    for index in columns.indices {
      columns[index].isShort = columns[index].shortening == .toWidth
      columns[index].hasAges = columns[index].shortening == .toAge
    }
    for shortening in [.toEndOfID, .toAge] as [Column.Shortening] where isTooWide() {
      for index in columns.indices where columns[index].shortening == shortening {
        columns[index].isShort = true
      }
    }
    return columns
  }

  var header: String {
    let names = line(columns.map(\.title))
    return isStyled ? "\u{1B}[1m\(names)\u{1B}[0m\n" : names + "\n"
  }

  func footer(isComplete: Bool) -> String {
    isComplete ? "" : Self.incompleteMark
  }

  func render(_ record: Record) -> String {
    line(zip(columns, record.cells).map { $0.fitted($1, at: now) }) + "\n"
  }

  private func line(_ cells: [String]) -> String {
    let padded = zip(columns, cells).map { column, cell in
      cell.padded(toWidth: column.width, isRightAligned: column.isRightAligned)
    }
    var line = padded.joined(separator: String(repeating: " ", count: Self.gap))
    while line.last == " " { line.removeLast() }
    return lineLimit.map { line.cut(toWidth: $0) } ?? line
  }
}

extension Column {
  /// A cell, as short as the column allows, and with the age of a time.
  fileprivate func fitted(_ cell: String, at now: Timestamp) -> String {
    switch shortening {
    case .toEndOfID where isShort: String(cell.suffix(width))
    case .toAge where hasAges:
      TimeArgument(argument: cell).map { argument in
        let age = argument.time.shortlyAgo(at: now)
        return isShort ? age : "\(cell.replacing(/\.\d+Z$/, with: "Z")) \(age)"
      } ?? cell
    case .toWidth where isShort: cell.cut(toWidth: width)
    default: cell
    }
  }
}

extension String {
  func padded(toWidth width: Int, isRightAligned: Bool = false) -> String {
    let padding = String(repeating: " ", count: max(0, width - count))
    return isRightAligned ? padding + self : self + padding
  }

  /// The beginning of a text that takes more than `width` columns, and an ellipsis.
  func cut(toWidth width: Int) -> String {
    // A character may consist of millions of scalars, which a clipped text does not.
    let text = clipped(to: 4 * width)
    guard text.count > width || text.unicodeScalars.count < unicodeScalars.count else {
      return self
    }
    return width < 1 ? "" : text.prefix(width - 1) + "…"
  }
}
