import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// Handlers found by their scopes, in memory and in a snapshot.
@Suite(.timeLimit(.minutes(10))) struct HandlerScopeTests {
  @Test(arguments: WorkLedger.Form.allCases)
  func aHandlerIsFoundByEachOfItsScopes(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    _ = try ledger.commit(CreateHandler(.numbered(1), scopes: ["a", "b", "c"]))
    _ = try ledger.commit(CreateHandler(.numbered(2), scopes: ["b"]))
    // A fold precedes each command.
    _ = try ledger.commit(CreateHandler(.numbered(3)))
    for (scope, numbers) in [("a", [1]), ("b", [1, 2]), ("c", [1]), ("d", [])] {
      let found = try ledger.state.activeHandlers(inScope: scope).map(\.id)
      #expect(found == numbers.map(HandlerID.numbered), "\(scope)")
    }
  }
}
