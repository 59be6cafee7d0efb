import Foundation
import LedgerLMDB
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// The command's messages when the system, and not the ledger, is the cause.
@Suite(.timeLimit(.minutes(2))) struct LimitsTests {
  private let temporary: TemporaryLedger

  init() async throws {
    temporary = try TemporaryLedger()
    let ledger = try await temporary.open()
    _ = try await ledger.createPromise(of: Int.self).fulfill(1)
    await ledger.close()
  }

  /// At some number of descriptors each step is the first one that fails; with enough all is fine.
  @Test(arguments: [64] + (3...24))
  func aLackOfDescriptorsIsNoDamage(count: Int) throws {
    for verb in ["stats", "verify"] {
      try check("ulimit -n \(count)", [verb, temporary.path], isEnough: count == 64)
    }
  }

  @Test(arguments: [
    92, 96, 100, 104, 108, 112, 116, 120, 124, 128, 144, 160, 192, mebibytesOfManyPrograms,
  ])
  func aLackOfAddressSpaceIsNoDamageAndNoHang(mebibytes: Int) throws {
    for words in [["stats", temporary.path], ["compact", temporary.path, "--apply"]] {
      try check(
        "ulimit -v \(mebibytes << 10)", words,
        isEnough: mebibytes == Self.mebibytesOfManyPrograms)
    }
  }

  /// A multiple of it no longer fits into a machine word.
  @Test func aHugeStackIsNoCrash() throws {
    try check(
      "ulimit -s 4503599627370496", ["compact", "--apply", temporary.path], isEnough: false)
  }

  /// Far more than the program, its libraries and the map of the ledger take anywhere.
  private static let mebibytesOfManyPrograms = 16_384

  private func check(_ limit: String, _ words: [String], isEnough: Bool) throws {
    // If even the loader lacks resources, the program cannot print anything.
    let isStarted = try CommandRun(after: limit, ["--help"]).status == 0
    let run = try CommandRun(after: limit, words)
    let what = "\(words[0]) after \(limit): \(run.status) \(run.notes)"
    if isEnough { #expect(run.status == 0, "\(what)") }
    if isStarted { #expect([0, 74].contains(run.status), "\(what)") }
    #expect(!run.notes.contains("damaged"), "\(what)")
  }

  /// As many readers as 300 processes have: more than LMDB's own default.
  @Test func threeHundredReadersKeepNothingFromOpening() async throws {
    let environment = try Environment.open(
      at: temporary.path + "/generation-000001",
      configuration: Configuration(access: .readOnly),
      tables: [TableDescription("log", keys: .integer)])
    func nest(_ depth: Int) throws {
      guard depth > 0 else {
        for verb in [
          "log", "stats", "promises", "handlers", "work", "verify", "digest", "export",
          "compact",
        ] {
          let run = try CommandRun(verb, temporary.path)
          #expect(run.status == 0, "\(verb): \(run.notes)")
        }
        let run = try CommandRun("compact", "--apply", temporary.path)
        #expect(run.status == 0, "\(run.notes)")
        return
      }
      try environment.read { _ in try nest(depth - 1) }
    }
    try nest(300)
    try environment.close()
  }
}
