/// One JSON object for each record, each on its own line.
struct JSONLinesRenderer: RecordRenderer {
  var header: String { "" }

  func footer(isComplete: Bool) -> String {
    isComplete ? "" : "\(JSONRenderer.incompleteMark)\n"
  }

  func render(_ record: Record) -> String { "\(record.json)\n" }
}
