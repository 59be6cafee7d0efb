import ArgumentParser
import PromiseLedger

/// The beginning of an id, or all of it, in the form of a UUID.
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

  /// The first id with this beginning.
  var lowest: EntityID { filled(with: "0") }

  /// The last id with this beginning.
  var highest: EntityID { filled(with: "f") }

  private func filled(with digit: Character) -> EntityID {
    var text = ""
    for (index, place) in "00000000-0000-0000-0000-000000000000".enumerated() {
      let given = index < self.text.count ? Array(self.text)[index] : nil
      text.append(given ?? (place == "-" ? "-" : digit))
    }
    return EntityID(text) ?? EntityID(high: 0, low: 0)
  }
}
