/// One item of a list, in every format.
struct Record {
  /// The text in the columns of a table.
  var cells: [String]
  var json: JSONValue
}

/// A column of a table. Its width is fixed, so that no record has to wait for another.
struct Column {
  let title: String
  let width: Int
  var isRightAligned = false

  init(_ title: String, width: Int = 0, isRightAligned: Bool = false) {
    self.title = title
    self.width = width
    self.isRightAligned = isRightAligned
  }
}

/// Turns records into text, one by one.
protocol RecordRenderer {
  /// The text before the first record.
  var header: String { get }
  /// The text after the last record; it shows whether there are more that cannot be read.
  func footer(isComplete: Bool) -> String

  mutating func render(_ record: Record) -> String
}
