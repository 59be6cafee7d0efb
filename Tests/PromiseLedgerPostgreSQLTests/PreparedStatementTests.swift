import LedgerPostgreSQL
import LedgerPostgreSQLTestSupport
import Testing

/// Statements that the server keeps for a connection.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct PreparedStatementTests {
  private let connection: Connection

  init() throws { connection = try Self.connect() }

  private static func connect() throws -> Connection {
    try Connection(ConnectionSettings(TestServer.shared.get().connection(as: "ledger")))
  }

  private func quotient(_ dividend: Int32, _ divisor: Int32) -> Statement {
    Statement("SELECT $1 / $2", [.int4(dividend), .int4(divisor)], isPrepared: true)
  }

  /// One that is not kept, and that the server refuses.
  private let refused = Statement("SELECT 1 / 0")

  private func keptCount() throws -> Int64 {
    try connection.run("SELECT count(*) FROM pg_prepared_statements").int8(0, 0)
  }

  @Test func theServerKeepsOneOfEachText() throws {
    let rows = try connection.run([
      quotient(6, 2), Statement("SELECT 5"), quotient(9, 1),
      Statement("SELECT $1", [.int4(7)], isPrepared: true),
    ]).rows
    #expect(try rows.map { try $0.int4(0, 0) } == [3, 5, 9, 7])
    #expect(try connection.run([quotient(8, 2)]).rows[0].int4(0, 0) == 4)
    #expect(try keptCount() == 2)
  }

  @Test func oneThatCameAfterAnErrorIsSentAgain() throws {
    #expect(throws: PostgreSQLError.self) { try connection.run([refused, quotient(6, 2)]) }
    #expect(try connection.run([quotient(6, 2)]).rows[0].int4(0, 0) == 3)
    #expect(try keptCount() == 1)
  }

  @Test func oneBeforeAnErrorIsKept() throws {
    #expect(throws: PostgreSQLError.self) { try connection.run([quotient(6, 2), refused]) }
    #expect(throws: PostgreSQLError.self) { try connection.run([quotient(6, 0)]) }
    #expect(try connection.run([quotient(6, 2)]).rows[0].int4(0, 0) == 3)
    #expect(try keptCount() == 1)
  }

  /// As a pooler might do that lends the connection to another client.
  @Test func aConnectionWhoseStatementsAreGoneIsNotUsedAgain() throws {
    _ = try connection.run([quotient(6, 2)])
    try connection.run("DEALLOCATE ALL")
    #expect(connection.isUsable)
    let error = #expect(throws: PostgreSQLError.self) { try connection.run([quotient(6, 2)]) }
    #expect(error?.state == .noSuchStatement)
    #expect(!connection.isUsable)
  }

  /// As after a change of a table.
  @Test func aStatementWhoseResultHasAnotherTypeIsNotUsedAgain() throws {
    let select = Statement("SELECT * FROM prepared", isPrepared: true)
    try connection.run("CREATE TEMPORARY TABLE prepared (number int)")
    _ = try connection.run([select])
    try connection.run("ALTER TABLE prepared ALTER number TYPE bigint")
    let error = #expect(throws: PostgreSQLError.self) { try connection.run([select]) }
    #expect(error?.state == .featureNotSupported)
    #expect(error?.isAboutPreparedStatements == true)
    #expect(!connection.isUsable)
  }

  @Test func whatTheServerDoesNotSupportIsNotALostStatement() throws {
    let unsupported = Statement("SELECT count(*) FROM pg_class FOR UPDATE", isPrepared: true)
    let error = #expect(throws: PostgreSQLError.self) { try connection.run([unsupported]) }
    #expect(error?.state == .featureNotSupported)
    #expect(error?.isAboutPreparedStatements == false)
    #expect(connection.isUsable)
  }

  @Test func theSameTextWithOtherTypesIsAnotherStatement() throws {
    let statements = [Value.int4(5), .int8(5)].map {
      Statement("SELECT pg_typeof($1)::text", [$0], isPrepared: true)
    }
    let rows = try connection.run(statements).rows
    #expect(rows.map { $0.text(0, 0) } == ["integer", "bigint"])
  }

  /// A pooler in session mode may lend a connection on which another client has left its own.
  @Test func theNamesOfTwoConnectionsDiffer() throws {
    let names = try [connection, Self.connect()].map { connection in
      _ = try connection.run([quotient(6, 2)])
      return try connection.run("SELECT name FROM pg_prepared_statements").text(0, 0)
    }
    #expect(names[0] != names[1])
  }
}
