import ArgumentParser
import LedgerRuntime

/// The options of a command that reads several ledgers: those of the tool.
struct SharedAccessOptions: SharedOptions, CustomReflectable {
  private var own: any SharedOptions

  init() { own = Program.tool.sharedOptions.init() }

  init(from decoder: any Decoder) throws {
    own = try Program.tool.sharedOptions.init(from: decoder)
  }

  var customMirror: Mirror { Mirror(reflecting: own) }

  var timeout: Double { own.timeout }

  mutating func validate() throws { try own.validate() }

  func isArchive(_ word: String) -> Bool { own.isArchive(word) }

  func areSame(_ word: String, _ other: String) -> Bool { own.areSame(word, other) }

  func open(_ word: String) throws -> BlockingInspector { try own.open(word) }
}
