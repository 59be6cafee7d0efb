import ArgumentParser
import LedgerVerbs
import PromiseLedgerPostgreSQL

/// The options of a command about a schema.
struct SchemaOptions: PatienceOptions, ServerAccess {
  static let usualSchema = "promise_ledger"

  @Option(help: .connection)
  var connection: String?

  @Option(help: .schema)
  var schema = SchemaOptions.usualSchema

  @Option(help: .timeout)
  var timeout = 30.0

  func validate() throws {
    try checkTimeout()
    try checkConnection()
  }

  /// Waits for work on the server.
  func wait(_ sink: any TextSink, for body: @escaping @Sendable () async throws -> Void) throws {
    let work = try BackgroundWork<Void, Never> { _ in try await body() }
    try work.wait(every: pulseInterval, for: .seconds(timeout), sink.alive) { _ in }
  }
}

/// A command about a schema.
protocol SchemaCommand: ChildCommand {
  var server: SchemaOptions { get }
}

extension SchemaCommand {
  var timeoutInSeconds: Double { server.timeout }
}
