import LedgerModel
import Testing

@testable import LedgerRuntimeTesting

/// The environment variable that tells whether recordings are written.
@Suite(.timeLimit(.minutes(5)))
struct RecordingModeTests {
  @Test(arguments: [nil, "", "missing", "failed", "all"])
  func aModeOrNothingIsAccepted(value: String?) throws {
    try Recording.check(value)
  }

  @Test(arguments: ["Failed", "1", "true", " all"])
  func anotherValueIsRefused(value: String) {
    let error = #expect(throws: LedgerError.self) { try Recording.check(value) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains("missing, failed or all") == true)
  }
}
