import PromiseLedger

/// Prints events on standard output and counts what wants attention.
struct EventPrinter {
  private var output = StandardOutput()
  private var renderer: any EventRenderer
  private(set) var findings = Findings()

  init(format: EventFormat) {
    renderer = format.makeRenderer(isStyled: StandardOutput.isStyled)
  }

  mutating func begin() throws {
    try output.write(renderer.header)
  }

  mutating func print(_ event: LedgerEvent, _ details: EventDetails) throws {
    findings.count(details.problem)
    try output.write(renderer.render(event, details))
  }

  mutating func end() throws {
    try output.write(renderer.footer)
    try output.flush()
  }
}
