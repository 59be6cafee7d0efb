import Testing

@testable import LedgerSystem

/// Facts about terminals.
@Suite(.timeLimit(.minutes(5)))
struct TerminalTests {
  @Test func onlyATerminalHasAWidth() throws {
    let null = try Descriptor.open("/dev/null", 0)
    #expect(Terminal.width(of: null) == nil)
    #expect(Terminal.width(of: -1) == nil)
  }
}
