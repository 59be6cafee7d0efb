import Foundation
import LedgerTestSupport
import Testing

/// The tool and a writer on data files that are damaged in every way that the tree fuzzer knows: it
/// compares their answers with those for the intact files.
@Suite(.timeLimit(.minutes(15))) struct DamagedTreesTests {
  @Test func damagedFilesAreReadTrulyOrRefused() async throws {
    let count = TestAmount.of(40)
    let run = try await onThread {
      Result {
        try CommandRun(
          ["--seeds", "\(count)", "--attempts", "2", "--timeout", "30"],
          of: CommandRun.program(named: "tree-fuzzer"))
      }
    }.get()
    print(run.output)
    #expect(run.status == 0, "\(run.notes)")
    #expect(run.output.contains("\(count) seeds, 0 findings\n"))
  }

  @Test(arguments: [
    ["--workers", "0"], ["--workers=-1"], ["--seeds", "0"], ["--seeds=-1"], ["--attempts", "0"],
    ["--attempts", "100"], ["--only", "nothing"], ["--timeout", "0"],
    ["--first", "18446744073709551615"],
  ])
  func invalidFuzzerArgumentsAreUsageErrors(arguments: [String]) throws {
    let run = try CommandRun(arguments, of: CommandRun.program(named: "tree-fuzzer"))
    #expect(run.status == 64, "\(run.notes)")
    #expect(run.notes.hasPrefix("Error: "))
  }
}
