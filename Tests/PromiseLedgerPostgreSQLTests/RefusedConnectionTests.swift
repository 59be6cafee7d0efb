import LedgerModel
import LedgerPostgreSQL
import LedgerPostgreSQLTestSupport
import PromiseLedgerPostgreSQL
import Testing

/// Connections that are refused: each error has the right code, says how to mend it, and contains no password.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct RefusedConnectionTests {
  /// A connection that the server of the tests refuses.
  struct Refused: Sendable, CustomTestStringConvertible {
    let role: String
    /// The options with which the role is created; `nil` if there is no such role.
    var options: String?
    /// A statement about the role.
    var setting: String?
    /// What the connection string says beside the role.
    var connection = ""
    let code: LedgerError.Code
    /// A part of the remedy.
    let remedy: String

    var testDescription: String { role }
  }

  private static let password = "hunter2"

  private static let refused = [
    Refused(
      role: "wrong_password", options: "LOGIN PASSWORD 'right' IN ROLE with_password",
      connection: "password=\(password)", code: .permissionDenied,
      remedy: "refused the password"),
    Refused(
      role: "no_password", options: "LOGIN PASSWORD '\(password)' IN ROLE with_password",
      connection: "passfile=/nowhere", code: .permissionDenied, remedy: "set PGPASSWORD"),
    Refused(role: "unknown_role", code: .permissionDenied, remedy: "does not exist"),
    Refused(
      role: "without_login", options: "NOLOGIN", code: .permissionDenied,
      remedy: "create the role with LOGIN"),
    Refused(
      role: "elsewhere", options: "LOGIN", connection: "dbname=nowhere", code: .notFound,
      remedy: "Create it"),
    Refused(
      role: "kept_out", options: "LOGIN",
      setting: "REVOKE CONNECT ON DATABASE template1 FROM PUBLIC", connection: "dbname=template1",
      code: .permissionDenied, remedy: "GRANT CONNECT"),
    Refused(
      role: "reading_only", options: "LOGIN",
      setting: "ALTER ROLE reading_only SET default_transaction_read_only = on",
      code: .unavailable, remedy: "name the host of the primary"),
    Refused(
      role: "one_too_many", options: "LOGIN CONNECTION LIMIT 0", code: .unavailable,
      remedy: "raise max_connections"),
  ]

  @Test(arguments: refused)
  func aRefusedConnectionSaysHowToMendIt(refused: Refused) async throws {
    let server = try TestServer.shared.get()
    if let options = refused.options { try server.run("CREATE ROLE \(refused.role) \(options)") }
    if let setting = refused.setting { try server.run(setting) }
    let connection = "\(server.connection(as: refused.role)) \(refused.connection)"
    let error = await #expect(throws: LedgerError.self) {
      try await PostgreSQLLedger("a", on: connection, schema: TestServer.schema).create()
    }
    #expect(error?.code == refused.code)
    #expect(error?.message.contains(refused.remedy) == true, "\(error?.debugDescription ?? "")")
    #expect(error?.debugDescription.contains(Self.password) == false)
  }

  @Test func aMessageIsOneLine() throws {
    let nowhere = try ConnectionSettings("host=/nowhere")
    let error = #expect(throws: PostgreSQLError.self) { try Connection(nowhere) }
    let message = try #require(error?.message)
    #expect(message.contains("No such file or directory Is the server running locally"))
  }

  @Test func theRightPasswordIsAccepted() throws {
    let server = try TestServer.shared.get()
    try server.run("CREATE ROLE right_password LOGIN PASSWORD 'right' IN ROLE with_password")
    let settings = try ConnectionSettings(
      "\(server.connection(as: "right_password")) password=right")
    #expect(try Connection(settings).run("SELECT current_user").text(0, 0) == "right_password")
  }

  @Test func aServerWithoutTLSIsRefusedUnlessThatIsAskedFor() async throws {
    let server = try TestServer.onTCP()
    for mode in ["", "sslmode=require", "sslmode=verify-full"] {
      let place = try PostgreSQLLedger("a", on: "\(server.tcpConnection) \(mode)")
      let error = await #expect(throws: LedgerError.self) { try await place.createSchema() }
      #expect(error?.code == .unavailable)
      #expect(error?.message.contains("turn on ssl") == true, "\(error?.debugDescription ?? "")")
    }
    let place = try PostgreSQLLedger("a", on: "\(server.tcpConnection) sslmode=disable")
    try await place.createSchema()
  }
}

/// What the texts of libpq say about refused connections.
@Suite(.timeLimit(.minutes(5))) struct ConnectionRefusalTests {
  /// libpq's message with all details, from servers that speak several languages.
  @Test(arguments: [
    ("connection to server on socket \"/s\" failed: FATAL:  28P01: password …\n", "28P01"),
    ("connection to server at \"a\" failed: SCHWERWIEGEND:  3D000: Datenbank …\n", "3D000"),
    ("致命错误:  53300: 已保留的连接位置为执行非复制请求的超级用户预留\n", "53300"),
    // The second host may be the primary that is not up yet.
    ("… failed: FATAL:  28000: no entry\n… failed: FATAL:  57P03: starting up\n", "57P03"),
  ])
  func theStateIsFoundInAnyLanguage(message: String, state: String) {
    #expect(ConnectionRefusal.isFromServer(message))
    #expect(ConnectionRefusal.state(in: message)?.rawValue == state)
  }

  @Test(arguments: [
    "connection to server on socket \"/s\" failed: No such file or directory\n\tIs the server running?",
    "connection to server at \"a\", port 5432 failed: timeout expired\n",
    "could not translate host name \"a\" to address: Name or service not known\n",
  ])
  func aMessageOfLibpqItselfHasNoState(message: String) {
    #expect(!ConnectionRefusal.isFromServer(message))
    #expect(ConnectionRefusal.state(in: message) == nil)
    #expect(ConnectionRefusal(guessedFrom: message) == nil)
  }

  @Test(arguments: [
    ("server does not support SSL, but SSL was required", ConnectionRefusal.noTLS),
    ("root certificate file \"/root.crt\" does not exist", .noTLS),
    ("connection to server on socket \"/s\" failed: session is read-only", .readOnly),
    ("connection to server at \"a\" failed: server is in hot standby mode", .readOnly),
  ])
  func otherReasonsAreGuessed(message: String, refusal: ConnectionRefusal) {
    #expect(ConnectionRefusal(guessedFrom: message) == refusal)
  }

  @Test(
    arguments: [
      (90_624, "9.6"), (130_022, "13"), (139_999, "13"), (140_000, nil), (180_001, nil),
    ] as [(Int32, String?)])
  func aServerOlderThan14IsRefused(version: Int32, name: String?) {
    let error = PostgreSQLError.unsupportedServer(version)
    #expect(error?.refusal == (name == nil ? nil : .oldServer))
    if let name { #expect(error?.message.contains("PostgreSQL \(name),") == true) }
  }
}
