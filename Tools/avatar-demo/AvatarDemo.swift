import ArgumentParser

/// The processes of the demonstration; `Tools/demo` runs them.
@main
struct AvatarDemo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "avatar-demo",
    abstract: "The processes of a chat app that removes the avatar of a room, and a shop.",
    subcommands: [
      ServerCommand.self, AppCommand.self, ExtensionCommand.self, ShopCommand.self,
    ])
}
