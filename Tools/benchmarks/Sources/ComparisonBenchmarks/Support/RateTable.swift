/// How often a second each contestant did something, by the number of callers: the short form for a first look.
struct RateTable {
  private let columns: [String]
  private var rows: [(name: String, rates: [Double])] = []

  init(columns: [String]) { self.columns = columns }

  mutating func add(_ name: String, _ rates: [Double]) { rows.append((name, rates)) }

  func write() {
    print("\n| a second, by callers | \(columns.joined(separator: " | ")) |")
    print("|---|\(columns.map { _ in "---|" }.joined())")
    for row in rows {
      print("| \(row.name) | \(row.rates.map(Table.number).joined(separator: " | ")) |")
    }
  }
}
