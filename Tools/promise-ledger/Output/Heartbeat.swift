/// Shows now and then that a walk goes on, also if nothing of it is printed.
struct Heartbeat {
  private static let interval = 1_000

  private let sink: any TextSink
  private var count = 0

  init(_ sink: any TextSink) {
    self.sink = sink
  }

  mutating func beat() throws {
    count += 1
    if count % Self.interval == 0 { try sink.alive() }
  }
}
