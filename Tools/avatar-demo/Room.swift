import ArgumentParser
import PromiseLedger

/// A group chat room whose avatar is to be removed.
struct Room: Sendable, Codable, ExpressibleByArgument {
  let address: String

  init(argument: String) {
    address = argument
  }

  /// The key of the promise: every process makes the same of the same room.
  var promiseKey: PromiseKey {
    get throws { try PromiseKey("avatar/\(address)") }
  }
}
