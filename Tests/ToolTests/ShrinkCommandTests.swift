import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// `compact --shrink`: its plan, its report, and the files that it leaves.
@Suite(.timeLimit(.minutes(10)))
struct ShrinkCommandTests {
  private static let all = [
    "--keep-events-for", "0", "--keep-events", "0", "--keep-records-for", "0s",
  ]

  private let temporary: TemporaryLedger

  /// A ledger that is mostly free space once it is compacted.
  init() async throws {
    temporary = try TemporaryLedger()
    let app = try await temporary.open(as: .app)
    for _ in 0..<20 {
      let promise = try await app.createPromise(of: [UInt8].self)
      try await promise.fulfill([UInt8](repeating: 7, count: 50_000))
      _ = try await promise.consume()
    }
    await app.close()
  }

  private func compact(_ options: String...) throws -> CommandRun {
    try CommandRun(["compact", temporary.path, "--shrink"] + options + Self.all)
  }

  private func generations() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: temporary.path)
      .filter { $0.contains("generation-") }
  }

  @Test func aPlanTellsTheSizesAndChangesNothing() throws {
    let plan = try compact()
    #expect(
      plan.output.lastLines(2).withoutSizes == """
        file bytes         N
        shrunk bytes       about N, less what is deleted

        """)
    #expect(plan.notes == "promise-ledger: Nothing was changed. To compact, add --apply.\n")
    #expect(plan.status == 0)
    #expect(try generations() == ["generation-000001"])
  }

  @Test func shrinkingGivesFreeSpaceBack() throws {
    let run = try compact("--apply", "--progress")
    #expect(run.status == 0)
    #expect(
      run.output.lastLines(3).withoutSizes == """
        file bytes before  N
        file bytes         N
        writers waited     N microseconds

        """)
    let sizes = run.output.matches(of: /\nfile bytes(?: before)? +(\d+)/).compactMap { Int($0.1) }
    #expect(sizes.count == 2 && sizes[1] < sizes[0] / 4, "\(run.output)")
    #expect(
      run.notes.lastLines(4).withoutSizes == """
        promise-ledger: Checking the data file.
        promise-ledger: Copying the data.
        promise-ledger: Verifying the copy of N bytes.
        promise-ledger: Moving the ledger.

        """)
    #expect(try generations() == ["generation-000002"])
    #expect(try CommandRun("verify", temporary.path).status == 0)
    let json = try compact("--apply", "--format", "json")
    #expect(
      json.output.contains(
        /"fileBytes":\d+,"fileBytesBefore":\d+,.*"shrinkLockInMicroseconds":\d+/))
    #expect(json.notes == "" && json.status == 0)
    #expect(try generations() == ["generation-000003"])
  }
}

extension String {
  fileprivate func lastLines(_ count: Int) -> String {
    split(separator: "\n").suffix(count).map { $0 + "\n" }.joined()
  }

  /// Without numbers of bytes and of microseconds, which depend on the system.
  fileprivate var withoutSizes: String {
    replacing(/(bytes(?: before)? +(?:about )?)\d+/) { "\($0.1)N" }
      .replacing(/\d+ (bytes|microseconds)/) { "N \($0.1)" }
  }
}
