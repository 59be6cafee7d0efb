import ArgumentParser
import Foundation
import LedgerVerbs
import PromiseLedger

/// The options of every command that uses one ledger in a directory.
struct FileOptions: LedgerOptions, FileAccess {
  @Argument(help: "The directory of the ledger.", completion: .directory)
  var path: String

  @Flag(help: .withoutLock)
  var withoutLock = false

  @Option(help: .timeout)
  var timeout = 30.0

  var words: LedgerWords { LedgerWords(path) }

  func open(toWrite writes: Bool) throws -> BlockingInspector {
    try open(path, toWrite: writes)
  }

  func openToFollow() throws -> (ledger: BlockingInspector, followed: any FollowedLedger) {
    // First, so that a replacement meanwhile is noticed. If there is nothing, opening the ledger says so.
    let directory = Result { try FollowedDirectory(path) }
    let ledger = try open()
    return (ledger, FollowedFiles(try directory.get(), ledger.makeChangeWatch()))
  }

  func openSession(_ configuration: LedgerConfiguration) async throws -> Ledger {
    try await Ledger.open(at: path, as: .operator, configuration: configuration)
  }

  /// The size of the data files, with those that an interrupted shrink left.
  func byteCount(of ledger: BlockingInspector) -> Int {
    let files = FileManager.default
    let names = (try? files.contentsOfDirectory(atPath: path)) ?? []
    return names.reduce(0) { sum, name in
      let attributes = try? files.attributesOfItem(atPath: "\(path)/\(name)/data.mdb")
      return sum + ((attributes?[.size] as? NSNumber)?.intValue ?? 0)
    }
  }

  func addSpace(
    of ledger: BlockingInspector, to report: inout Report, _ sink: any TextSink
  ) throws {
    report.add(try ledger.space { try sink.alive() })
  }

  func checkForWriting(by writer: String) throws {
    guard !withoutLock else {
      throw ValidationError("\(writer) that writes needs the lock: leave out --without-lock.")
    }
  }

  func check(output: String) throws {
    let target = try OutputFile.target(of: output)
    let parent = URL(fileURLWithPath: target).deletingLastPathComponent()
    let paths = [parent, URL(fileURLWithPath: path)].map {
      $0.resolvingSymlinksInPath().standardizedFileURL.pathComponents
    }
    guard !paths[0].starts(with: paths[1]) else {
      throw Status.Failure(
        .usage,
        "Nothing can be written into the ledger at \(path.escapingControlCharacters). Give a path outside that directory."
      )
    }
  }
}
