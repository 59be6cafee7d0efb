import ArgumentParser
import LedgerVerbs
import PromiseLedgerPostgreSQL

/// `promise-ledger-postgresql grant`: the rights of a role.
struct GrantCommand: SchemaCommand {
  static let configuration = CommandConfiguration(
    commandName: "grant",
    abstract: "Lets a role of the server use all ledgers of the schema.",
    discussion: """
      Run it as the owner of the schema. With reading, the role can inspect ledgers. With \
      writing, it can also open them and append events, but neither change nor delete one. With \
      compacting, it can also fold events into the snapshot and delete folded ones.
      """)

  enum Access: String, ExpressibleByArgument, CaseIterable {
    case reading, writing, compacting

    var access: PostgreSQLLedger.Access {
      switch self {
      case .reading: .reading
      case .writing: .writing
      case .compacting: .compacting
      }
    }
  }

  @Argument(help: "What the role may do.")
  var access: Access

  @Argument(help: "The name of the role, which exists.")
  var role: String

  @OptionGroup var server: SchemaOptions
  @OptionGroup var output: FormatOptions

  func perform(_ sink: any TextSink) throws {
    let place = try server.schemaPlace()
    try server.wait(sink) { [access, role] in try await place.grant(access.access, to: role) }
    var report = Report()
    report.add("role", "role", role)
    report.add("access", "access", access.rawValue)
    report.add("schema", "schema", server.schema)
    try report.write(as: output.format, to: sink)
  }
}
