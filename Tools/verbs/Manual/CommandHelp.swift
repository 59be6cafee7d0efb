import ArgumentParser
import Foundation

/// What the help says about a command, as the argument parser describes it.
struct CommandHelp: Decodable {
  struct Argument: Decodable {
    struct Name: Decodable {
      let kind: String
      let name: String

      /// The name as it is typed.
      var text: String { kind == "long" ? "--\(name)" : "-\(name)" }
    }

    let kind: String
    let names: [Name]?
    let valueName: String?
    let abstract: String?
    let defaultValue: String?
    let allValues: [String]?
    let isOptional: Bool
    let isRepeating: Bool
    let shouldDisplay: Bool

    /// The value as it is typed.
    var value: String? { kind == "flag" ? nil : "<\(valueName ?? "value")>" }
  }

  let commandName: String
  let abstract: String?
  let discussion: String?
  let arguments: [Argument]?
  let subcommands: [CommandHelp]?

  /// The help of the tool.
  ///
  /// - Throws: ``Status/Failure`` if the parser describes it in another way.
  static func ofTool() throws -> CommandHelp {
    struct Description: Decodable { let command: CommandHelp }
    do {
      _ = try ToolCommand.parseAsRoot(["--experimental-dump-help"])
    } catch {
      let text = ToolCommand.fullMessage(for: error)
      if let help = try? JSONDecoder().decode(Description.self, from: Data(text.utf8)) {
        return help.command
      }
    }
    throw Status.Failure(.systemFailure, "The help cannot be read.")
  }
}
