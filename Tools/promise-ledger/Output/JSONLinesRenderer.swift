/// A JSON object a record, each on its line.
struct JSONLinesRenderer: RecordRenderer {
  var header: String { "" }
  var footer: String { "" }

  func render(_ record: Record) -> String { "\(record.json)\n" }
}
