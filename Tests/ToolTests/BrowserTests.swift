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

  /// Runs a script of the folder Browser, which looks at a page.
  private static func look(_ script: String, _ arguments: String...) throws {
    try #require(driver != nil, "Install chromium and chromium-driver.")
    let path = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().appending(path: "Browser/\(script)").path
    let look = try CommandRun([path] + arguments, of: URL(fileURLWithPath: "/usr/bin/python3"))
    #expect(look.status == 0, "\(look.output)\n\(look.notes)")
    #expect(look.output.hasSuffix("All expectations are met\n"))
  }

  @Test(.enabled(if: driver != nil || isRequired))
  func aReportIsAsTheBrowserShowsIt() async throws {
    let sample = try await PageSampleLedger()
    let directory = try TemporaryDirectory()
    let page = "\(directory.path)/report.html"
    let run = try CommandRun("report", sample.path, "-o", page)
    #expect(run.notes == "" && run.status == 0)
    try Self.look("look-at-report", page)
  }

  #if Serve
    @Test(.enabled(if: driver != nil || isRequired))
    func aLivePageIsAsTheBrowserShowsIt() async throws {
      let sample = try await PageSampleLedger()
      try Self.look("look-at-live", CommandRun.program.path, sample.path)
    }
  #endif
}
