import Foundation

/// One program with four parts: without arguments it plays the stories, and for each part in them it
/// starts itself again, as a process of its own.
@main struct Example {
  static func main() async {
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      say("failed: \(error)")
      exit(1)
    }
  }

  static func run(_ arguments: [String]) async throws {
    switch arguments.first {
    case nil: try await playStories()
    case "app" where arguments.count == 2: try await runApp(ledgerPath: arguments[1])
    case "extension" where arguments.count == 3:
      try await runExtension(ledgerPath: arguments[1], push: arguments[2])
    case "gallery" where arguments.count == 3:
      let patience = Duration.milliseconds(Int(arguments[2]) ?? 0)
      try await runGallery(ledgerPath: arguments[1], patience: patience)
    default: say("usage: example, without arguments")
    }
  }
}
