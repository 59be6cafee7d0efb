/// The whole id of each record on its own line, for another command to read.
struct IDsRenderer: RecordRenderer {
  var header: String { "" }

  /// No command takes the last line for an id, so that an incomplete list changes nothing.
  func footer(isComplete: Bool) -> String { isComplete ? "" : TableRenderer.incompleteMark }

  func render(_ record: Record) -> String {
    guard case .object(let members) = record.json, case .string(let id)? = members["id"] else {
      return ""
    }
    return "\(id)\n"
  }
}
