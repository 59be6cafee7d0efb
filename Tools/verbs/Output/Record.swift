import LedgerRuntime

/// One item of a list, in every format.
package struct Record {
  /// The text in the columns of a table.
  var cells: [String]
  var json: JSONValue

  package init(cells: [String], json: JSONValue) {
    self.cells = cells
    self.json = json
  }
}

/// A column of a table. Its width is fixed, so that no record has to wait for another.
package struct Column {
  /// How the cells of a column become shorter where the terminal is narrow.
  package enum Shortening {
    case none
    /// Only the end of an id is left.
    case toEndOfID
    /// On a terminal, a time has no fraction of the second, and its age is shown; where there is no room, only
    /// its age.
    case toAge
    /// A text that is longer than the column is cut.
    case toWidth
  }

  let title: String
  private let wholeWidth: Int
  var isRightAligned = false
  var shortening = Shortening.none
  /// Whether the cells are as short as the column allows.
  var isShort = false
  /// Whether times are shown with their ages.
  var hasAges = false

  /// The widths of a time in seconds, of an age, and of what separates them.
  private static let timeWidths = (time: 20, age: 11, gap: 1)

  /// The number of characters to which cells are padded.
  var width: Int {
    switch shortening {
    case .toEndOfID where isShort: EntityID.shortTextCount
    case .toAge where isShort: Self.timeWidths.age
    case .toAge where hasAges:
      Self.timeWidths.time + Self.timeWidths.gap + Self.timeWidths.age
    default: wholeWidth
    }
  }

  package init(
    _ title: String, width: Int = 0, isRightAligned: Bool = false,
    shortening: Shortening = .none
  ) {
    self.title = title
    wholeWidth = width
    self.isRightAligned = isRightAligned
    self.shortening = shortening
  }

  /// The name that people gave.
  static let name = Column("name", width: 16, shortening: .toWidth)

  static let id = Column("id", width: 36, shortening: .toEndOfID)

  static func time(_ title: String) -> Column { Column(title, width: 27, shortening: .toAge) }
}

/// Turns records into text, one by one.
protocol RecordRenderer {
  /// The text before the first record.
  var header: String { get }
  /// The text after the last record; it shows whether there are more that cannot be read.
  func footer(isComplete: Bool) -> String

  mutating func render(_ record: Record) -> String
}
