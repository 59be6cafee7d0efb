import ArgumentParser
import PromiseLedger

/// The beginning of an id, or all of it, as a UUID shows it.
struct IDPrefix: ExpressibleByArgument {
  let text: String

  init?(argument: String) {
    let text = argument.lowercased()
    let isPlausible = text.allSatisfy { $0.isHexDigit || $0 == "-" }
    guard !text.isEmpty, text.utf8.count <= 36, isPlausible else { return nil }
    self.text = text
  }

  init(_ id: EntityID) {
    text = id.description
  }

  func matches(_ id: EntityID) -> Bool {
    text.utf8.count == 36 ? id.description == text : id.description.hasPrefix(text)
  }
}
