/// One JSON array of all records.
struct JSONRenderer: RecordRenderer {
  private var isFirst = true

  var header: String { "[" }
  var footer: String { isFirst ? "]\n" : "\n]\n" }

  mutating func render(_ record: Record) -> String {
    defer { isFirst = false }
    return "\(isFirst ? "\n" : ",\n")\(record.json)"
  }
}
