import Foundation
import LedgerPostgreSQLTestSupport
import LedgerSystem
import PromiseLedgerPostgreSQL
import PromiseLedgerTesting
import Testing

/// The code and the commands of the articles on PostgreSQL, run word for word in the order of their story.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct PostgreSQLArticlesTests {
  private static let schema = "promise_ledger"
  private let server: TestServer
  private let directory: TemporaryDirectory

  init() throws {
    server = try TestServer.shared.get()
    directory = try TemporaryDirectory()
  }

  @Test func allCommandsAndCodeRun() async throws {
    for statement in try statements(of: "OnPostgreSQL", atLeast: 3) { try server.run(statement) }
    let owned = try server.place("orders", schema: Self.schema)
    try await setUp(owned)
    let shop = try server.place("orders", schema: Self.schema, as: "shop")
    let first = try await openOrders(shop)
    let second = try await openOrders(shop)
    let parcel = try await shipment(of: "17", in: first)
    try await shipment(of: "17", in: second).fulfill("sent")
    #expect(try await parcel.consume() == "sent")

    for statement in try statements(of: "Operating", atLeast: 8) { try server.run(statement) }
    await first.close()
    await second.close()
    let digests = try await digests(of: owned)
    try runShell(of: "Operating", atLeast: 2)
    let restored = try PostgreSQLLedger("orders", on: "\(server.connection()) dbname=restored")
    #expect(try await self.digests(of: restored) == digests)

    let statements = try statements(of: "ManyLedgers", atLeast: 2)
    try server.run(statements[0])
    let error = await #expect(throws: LedgerError.self) {
      _ = try await openOrders(shop)
    }
    #expect(error?.code == .sealed)
    let moved = try server.place("orders", schema: "moved")
    try await moved.createSchema()
    let archive = "\(directory.path)/orders.jsonl"
    try await export(owned, to: archive)
    try makeLedger(at: moved, from: archive)
    #expect(try await self.digests(of: moved) == digests)
    try server.run(statements[1])
    try expectNothingLeft()
  }

  /// No row of a ledger that was deleted.
  private func expectNothingLeft() throws {
    for table in ["frame", "attachment", "record", "snapshot", "session"] {
      #expect(try server.rowCount(of: "\(Self.schema).\(table)") == 0, "\(table)")
    }
  }

  @Test func aCatalogueFindsTheLedgerOfATenant() throws {
    var catalogue = Catalogue()
    catalogue.assign("a", to: "host=db1.example.com")
    #expect(try catalogue.place(of: "a")?.name == "orders of a")
    #expect(try catalogue.place(of: "b") == nil)
  }

  @Test func aPlaceIsNamedWithoutAConnection() throws {
    let place = try PostgreSQLLedger("orders", on: "host=db.example.com dbname=shop user=shop")
    #expect(place.name == "orders")
  }

  @Test func theSettingsForPatroniAreThoseOfTheLongRun() throws {
    let script = try Article(path: "Tools/postgresql-patroni").lines.map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    let settings = try Self.blocks(of: "Operating", in: "yaml")
    try #require(settings.count == 2, "Are they still written in this way?")
    // A host has other values.
    for line in settings[0] {
      let key = line.prefix { $0 != ":" }
      #expect(script.contains { $0.hasPrefix("\(key):") }, "\(line)")
    }
    #expect(script.firstRange(of: settings[1]) != nil)
    let commands = try Self.blocks(of: "Operating", in: "").flatMap(\.self)
      .filter { !$0.hasPrefix("apt-get") }.joined(separator: " ").split(separator: " ")
    let words = Set(script.flatMap { $0.split(separator: " ") })
    for command in ["etcd", "patroni", "patronictl", "switchover"] {
      #expect(commands.contains { $0 == command }, "\(command)")
      #expect(words.contains { $0 == command }, "\(command)")
    }
    for option in commands where option.hasPrefix("--") {
      #expect(words.contains(option), "\(option)")
    }
    let place = try placeOnThreeServers()
    #expect(place.requiredDurability == .replicated)
  }

  // MARK: The code of the articles

  func setUp(_ place: PostgreSQLLedger) async throws {
    try await place.createSchema()
    try await place.create()
    try await place.grant(.compacting, to: "shop")
  }

  func openOrders(_ place: PostgreSQLLedger) async throws -> Ledger {
    try await Ledger.open(place, as: .consumer)
  }

  func placeOnThreeServers() throws -> PostgreSQLLedger {
    var place = try PostgreSQLLedger("orders", on: "host=db1,db2,db3 dbname=shop user=shop")
    place.requiredDurability = .replicated
    return place
  }

  struct Catalogue: Sendable {
    private var databases: [String: String] = [:]

    mutating func assign(_ tenant: String, to database: String) {
      databases[tenant] = database
    }

    func place(of tenant: String) throws -> PostgreSQLLedger? {
      try databases[tenant].map { try PostgreSQLLedger("orders of \(tenant)", on: $0) }
    }
  }

  func shipment(of order: String, in warehouse: Ledger) async throws -> DurablePromise<String> {
    let key = try PromiseKey("shipment of \(order)")
    return try await warehouse.findOrCreatePromise(key: key, of: String.self)
  }

  func export(_ place: PostgreSQLLedger, to path: String) async throws {
    try Data().write(to: URL(filePath: path))
    let file = try FileHandle(forUpdating: URL(filePath: path))
    let inspector = try await Ledger.inspect(place)
    try await inspector.export { piece in try file.write(contentsOf: Data(piece)) }
    inspector.close()
    try file.close()
  }

  func makeLedger(at place: PostgreSQLLedger, from path: String) throws {
    try LedgerImport().makeLedger(at: place, from: [path])
  }

  // MARK: The commands of the articles

  private static func blocks(of article: String, in language: String) throws -> [[String]] {
    let folder = "Sources/PromiseLedgerPostgreSQL/PromiseLedgerPostgreSQL.docc"
    return try Article(path: "\(folder)/\(article).md").blocks(of: language).map(\.code)
  }

  /// The statements of an article.
  private func statements(of article: String, atLeast count: Int) throws -> [String] {
    let statements = try Self.blocks(of: article, in: "sql").flatMap { block in
      block.joined(separator: "\n").split(separator: ";").map(String.init)
    }
    try #require(statements.count >= count, "Are they still written in this way?")
    return statements
  }

  /// Runs the shell's commands of an article in an empty directory.
  private func runShell(of article: String, atLeast count: Int) throws {
    let blocks = try Self.blocks(of: article, in: "shell")
    #expect(blocks.count >= count, "Are they still written in this way?")
    let path = ThisProcess.environmentVariable("PATH") ?? ""
    let script = (["set -eu", "cd \(directory.path)"] + blocks.flatMap(\.self))
    let shell = try ChildProcess(
      ["/bin/sh", "-c", script.joined(separator: "\n")],
      environment: server.environment + ["PATH=\(path)"])
    #expect(shell.wait() == .exited(0))
  }

  private func digests(of place: PostgreSQLLedger) async throws -> [String] {
    let inspector = try await Ledger.inspect(place)
    defer { inspector.close() }
    let digests = try await inspector.digests()
    return ["\(digests.log)", digests.state.map { "\($0)" } ?? "no state"]
  }
}
