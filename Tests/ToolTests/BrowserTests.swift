import Foundation
import PromiseLedgerTesting
import Testing

/// The page as a browser shows it.
@Suite(.timeLimit(.minutes(10)))
struct BrowserTests {
  /// The driver of the browser, if one is installed.
  private static let driver = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].lazy
    .map { "\($0)/chromedriver" }.first(where: FileManager.default.isExecutableFile(atPath:))

  /// Where a browser must be there, its lack is a failure.
  private static let isRequired = ProcessInfo.processInfo.environment["BROWSER_REQUIRED"] != nil

  private static let script = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appending(path: "Browser/look-at-report")

  @Test(.enabled(if: driver != nil || isRequired))
  func aReportIsAsTheBrowserShowsIt() async throws {
    try #require(Self.driver != nil, "Install chromium and chromium-driver.")
    let sample = try await PageSampleLedger()
    let directory = try TemporaryDirectory()
    let page = "\(directory.path)/report.html"
    let run = try CommandRun("report", sample.path, "-o", page)
    #expect(run.notes == "" && run.status == 0)
    let look = try CommandRun(
      [Self.script.path, page], of: URL(fileURLWithPath: "/usr/bin/python3"))
    #expect(look.status == 0, "\(look.output)\n\(look.notes)")
    #expect(look.output.hasSuffix("All expectations are met\n"))
  }
}
