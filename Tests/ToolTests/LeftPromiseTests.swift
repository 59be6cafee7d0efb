import PromiseLedger
import PromiseLedgerTesting
import Testing

/// Promises that will never be settled, and those of one of several apps.
@Suite(.timeLimit(.minutes(10)))
struct LeftPromiseTests {
  private let temporary: TemporaryLedger

  init() throws { temporary = try TemporaryLedger() }

  /// Pending promises of an instance, whose session ends.
  private func leave(
    _ deadlines: [Timestamp?], of instance: String
  ) async throws -> [PromiseID] {
    var configuration = LedgerConfiguration()
    configuration.instance = instance
    let ledger = try await temporary.open(configuration: configuration)
    var ids: [PromiseID] = []
    for deadline in deadlines {
      ids.append(try await ledger.createPromise(of: Int.self, deadline: deadline).id)
    }
    await ledger.close()
    return ids
  }

  private func ids(_ arguments: String...) throws -> [String] {
    let run = try CommandRun(["promises", temporary.path] + arguments)
    #expect(run.status == 0 && run.notes == "")
    return run.output.split(separator: "\n").dropFirst().map { String($0.dropFirst(18).prefix(36)) }
  }

  @Test func orphanedPromisesAreListed() async throws {
    let chat = try await leave([nil, SystemLedgerClock().now() + .seconds(3_600)], of: "chat")
    let mail = try await leave([nil], of: "mail")
    let (lost, timed, theirs) = ("\(chat[0])", "\(chat[1])", "\(mail[0])")
    #expect(try ids() == [lost, timed, theirs])
    #expect(try ids("--orphaned") == [lost, theirs])
    #expect(try ids("--orphaned", "--instance", "mail") == [theirs])
    #expect(try ids("--instance", "chat") == [lost, timed])
    #expect(try ids("--stale").isEmpty)
  }

  @Test func theErrorOfAPromiseIsShownWithItsReasons() async throws {
    let ledger = try await temporary.open()
    let promise = try await ledger.createPromise(of: Int.self)
    let details =
      #"{"failureReason":"No\u001bnet.","recoverySuggestion":"Wait.","underlyingErrors":[{"code":7,"domain":"tls","message":"refused"}]}"#
    try await promise.reject(
      StoredError(
        domain: "chat", code: 1, message: "It failed.",
        payload: StoredError.Payload(
          typeTag: "promise-ledger.error-details", bytes: Array(details.utf8))))
    await ledger.close()
    let table = try CommandRun("show", temporary.path, "\(promise.id)")
    let lines = table.output.split(separator: "\n").map(String.init)
    #expect(lines.contains("error       chat 1: It failed."))
    #expect(lines.contains(#"reason      No\u{1B}net."#))
    #expect(lines.contains("suggestion  Wait."))
    #expect(lines.contains("underlying  tls 7: refused"))
    let json = try CommandRun("show", temporary.path, "\(promise.id)", "--format", "jsonl")
    #expect(
      json.output.contains(
        #""error":{"code":1,"domain":"chat","failureReason":"No\u001bnet.","message":"It failed.","recoverySuggestion":"Wait.","underlyingErrors":[{"code":7,"domain":"tls","message":"refused"}]}"#
      ))
    #expect(json.status == 0)
  }
}
