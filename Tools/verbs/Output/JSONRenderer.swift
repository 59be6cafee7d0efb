/// One JSON array of all records.
struct JSONRenderer: RecordRenderer {
  /// The last element if the rest cannot be read.
  static var incompleteMark: JSONValue { .object(["incomplete": .bool(true)]) }

  private var isFirst = true

  var header: String { "[" }

  func footer(isComplete: Bool) -> String {
    let mark = isComplete ? "" : "\(isFirst ? "\n" : ",\n")\(Self.incompleteMark)"
    return isFirst && isComplete ? "]\n" : "\(mark)\n]\n"
  }

  mutating func render(_ record: Record) -> String {
    defer { isFirst = false }
    return "\(isFirst ? "\n" : ",\n")\(record.json)"
  }
}
