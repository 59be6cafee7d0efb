import ArgumentParser
import Foundation

/// The directory that stands for the network: requests and answers are files in it.
struct Spool: Sendable, ExpressibleByArgument {
  private let directory: URL

  init(argument: String) {
    directory = URL(fileURLWithPath: argument, isDirectory: true)
  }

  /// Sends a request to the server.
  func send(requestFor room: Room) throws {
    try write(room, to: file("request", room))
  }

  /// Takes the oldest requests that wait for the server.
  func takeRequests() throws -> [Room] {
    let requests = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      .filter { $0.hasPrefix("request-") && $0.hasSuffix(".json") }
      .sorted()
    return try requests.map { name in
      let file = directory.appendingPathComponent(name)
      let room = try JSONDecoder().decode(Room.self, from: Data(contentsOf: file))
      try FileManager.default.removeItem(at: file)
      return room
    }
  }

  /// Sends an answer from the server.
  func send(_ answer: ServerError, for room: Room) throws {
    try write(answer, to: file("answer", room))
  }

  /// The server's answer, if it is there.
  func answer(for room: Room) throws -> ServerError? {
    let file = file("answer", room)
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    return try JSONDecoder().decode(ServerError.self, from: Data(contentsOf: file))
  }

  private func file(_ kind: String, _ room: Room) -> URL {
    directory.appendingPathComponent("\(kind)-\(room.address).json")
  }

  /// Writes beside the place and renames, so that nobody reads half a file.
  private func write(_ content: some Encodable, to file: URL) throws {
    try JSONEncoder().encode(content).write(to: file, options: .atomic)
  }
}
