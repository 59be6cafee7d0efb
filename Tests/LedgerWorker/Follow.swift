import PromiseLedger

/// Reads events as they arrive, and prints each: `S POSITION KIND SUBJECT`.
struct Follow {
  /// The distance behind the head at which it begins.
  private static let overlap: UInt64 = 20

  private let path: String

  init(_ path: String, _ arguments: inout Arguments) throws {
    self.path = path
  }

  func run() async throws {
    let ledger = try await Ledger.open(at: path, as: .appExtension)
    let head = try await ledger.catchUp().rawValue
    Output.line("opened \(ledger.session)")
    let start = Position(rawValue: head > Self.overlap ? head - Self.overlap : 0)
    for try await event in ledger.events(after: start) {
      Output.line("S \(event.position) \(event.kind.rawValue) \(event.subject)")
    }
  }
}
