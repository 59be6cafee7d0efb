import ArgumentParser
import Foundation
import LedgerVerbs
import PromiseLedger

/// The options of a command that reads several ledgers in directories.
struct SharedFileOptions: SharedOptions, FileAccess {
  @Flag(help: .withoutLock)
  var withoutLock = false

  @Option(help: .timeout)
  var timeout = 30.0

  /// A file is an archive.
  func isArchive(_ word: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(
      atPath: URL(fileURLWithPath: word).resolvingSymlinksInPath().path)
    let type = attributes?[.type] as? FileAttributeType
    return type.map { $0 != .typeDirectory } ?? false
  }

  func areSame(_ word: String, _ other: String) -> Bool {
    func whole(_ path: String) -> String {
      URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path
    }
    return word == other || whole(word) == whole(other)
  }

  func open(_ word: String) throws -> BlockingInspector { try open(word, toWrite: false) }
}
