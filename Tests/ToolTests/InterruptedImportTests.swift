import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// The remains of an import that is interrupted in the middle.
@Suite(.timeLimit(.minutes(10)))
struct InterruptedImportTests {
  @Test func theNextImportRemovesTheRemainsOfADeadOne() async throws {
    let sample = try await SampleLedger()
    let target = try TemporaryLedger()
    let parent = URL(fileURLWithPath: target.path).deletingLastPathComponent().path
    let archive = parent + "/archive"
    let export = try CommandRun("export", sample.path).output
    try export.write(toFile: archive, atomically: true, encoding: .utf8)
    let lines = export.split(separator: "\n", omittingEmptySubsequences: false)
    let hanging = try HangingImport(target.path, lines[0] + "\n")
    let left = try await hanging.temporaryDirectory(in: parent)

    #expect(try CommandRun("import", target.path, archive).status == 0)
    #expect(names(parent) == ["archive", "ledger", left], "a living one keeps what it makes")
    hanging.kill()
    #expect(names(parent) == ["archive", "ledger", left])
    try FileManager.default.removeItem(atPath: target.path)
    #expect(try CommandRun("import", target.path, archive).status == 0)
    #expect(names(parent) == ["archive", "ledger"])
    #expect(try CommandRun("verify", target.path).status == 0)
  }

  private func names(_ directory: String) -> Set<String> {
    Set((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [])
  }
}

/// An import whose archive comes to no end.
private final class HangingImport {
  private let process = Process()
  private let input = Pipe()

  init(_ path: String, _ beginning: String) throws {
    process.executableURL = CommandRun.program
    process.arguments = ["import", path, "-"]
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(beginning.utf8))
  }

  /// The name of the directory that it makes the ledger in, once it does.
  func temporaryDirectory(in parent: String) async throws -> String {
    while process.isRunning {
      let names = try FileManager.default.subpathsOfDirectory(atPath: parent)
      if let name = names.first(where: { $0.hasSuffix("/making") }) {
        return String(name.dropLast("/making".count))
      }
      await Task.yield()
    }
    throw EndedEarly()
  }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  struct EndedEarly: Error {}
}
