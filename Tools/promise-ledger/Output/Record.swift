import PromiseLedger

/// One item of a list, in every format.
struct Record {
  /// The text in the columns of a table.
  var cells: [String]
  var json: JSONValue
}

/// A column of a table. Its width is fixed, so that no record has to wait for another.
struct Column {
  /// How the cells of a column become shorter where the terminal is narrow.
  enum Shortening {
    case none
    /// Only the end of an id is left.
    case toEndOfID
    /// A time has no fraction of the second.
    case toSeconds
    /// A text that is longer than the column is cut.
    case toWidth
  }

  let title: String
  private let wholeWidth: Int
  var isRightAligned = false
  var shortening = Shortening.none
  /// Whether the cells are as short as the column allows.
  var isShort = false

  /// The number of characters to which cells are padded.
  var width: Int {
    switch shortening {
    case .toEndOfID where isShort: EntityID.shortTextCount
    case .toSeconds where isShort: 20
    default: wholeWidth
    }
  }

  init(
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

  static func time(_ title: String) -> Column { Column(title, width: 27, shortening: .toSeconds) }
}

/// Turns records into text, one by one.
protocol RecordRenderer {
  /// The text before the first record.
  var header: String { get }
  /// The text after the last record; it shows whether there are more that cannot be read.
  func footer(isComplete: Bool) -> String

  mutating func render(_ record: Record) -> String
}
