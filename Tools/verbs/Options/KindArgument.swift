import ArgumentParser
import LedgerRuntime

/// A kind of event by its name, or by its number if this build has no name for it.
struct KindArgument: ExpressibleByArgument {
  let kind: EventKind

  init?(argument: String) {
    let named = EventKind.all.first { $0.name == argument }
    guard let kind = named ?? UInt16(argument).map(EventKind.init(rawValue:)) else { return nil }
    self.kind = kind
  }
}
