/// One line for each record, in columns.
struct TableRenderer: RecordRenderer {
  let columns: [Column]
  let isStyled: Bool

  var header: String {
    let names = line(columns.map(\.title))
    return isStyled ? "\u{1B}[1m\(names)\u{1B}[0m\n" : names + "\n"
  }

  func footer(isComplete: Bool) -> String {
    isComplete ? "" : "(incomplete: the rest cannot be read)\n"
  }

  func render(_ record: Record) -> String { line(record.cells) + "\n" }

  private func line(_ cells: [String]) -> String {
    let padded = zip(columns, cells).map { column, cell in
      cell.padded(toWidth: column.width, isRightAligned: column.isRightAligned)
    }
    var line = padded.joined(separator: "  ")
    while line.last == " " { line.removeLast() }
    return line
  }
}

extension String {
  func padded(toWidth width: Int, isRightAligned: Bool = false) -> String {
    let padding = String(repeating: " ", count: max(0, width - count))
    return isRightAligned ? padding + self : self + padding
  }
}
