import ArgumentParser

/// A group chat room whose avatar is to be removed.
struct Room: Sendable, Codable, ExpressibleByArgument {
  let address: String

  init(argument: String) {
    address = argument
  }
}
