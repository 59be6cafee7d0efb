import ArgumentParser
import Foundation

/// The directory that stands for the network: requests and answers are files in it.
struct Spool: Sendable, ExpressibleByArgument {
  private let directory: URL

  init(argument: String) {
    directory = URL(fileURLWithPath: argument, isDirectory: true)
  }

  /// Sends a request to the server.
  func send(_ request: Request) throws {
    try write(request, to: file("request", request.id))
  }

  /// The requests that wait for the server.
  func requests() throws -> [Request] {
    try contents("request")
  }

  /// Removes a request that has been answered.
  func remove(_ request: Request) throws {
    try FileManager.default.removeItem(at: file("request", request.id))
  }

  /// Sends an answer from the server.
  func send(_ answer: Stanza) throws {
    try write(answer, to: file("answer", answer.id))
  }

  /// The answers of the server that have not been processed yet.
  func answers() throws -> [Stanza] {
    try contents("answer")
  }

  /// Removes an answer that has been processed.
  func remove(_ answer: Stanza) throws {
    try FileManager.default.removeItem(at: file("answer", answer.id))
  }

  private func contents<Content: Decodable>(_ kind: String) throws -> [Content] {
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      .filter { $0.hasPrefix("\(kind)-") && $0.hasSuffix(".json") }
      .sorted()
    return try names.map { name in
      let file = directory.appendingPathComponent(name)
      return try JSONDecoder().decode(Content.self, from: Data(contentsOf: file))
    }
  }

  private func file(_ kind: String, _ id: String) -> URL {
    directory.appendingPathComponent("\(kind)-\(id).json")
  }

  /// Writes to a temporary file and renames it, so that a reader never sees half a file.
  private func write(_ content: some Encodable, to file: URL) throws {
    try JSONEncoder().encode(content).write(to: file, options: .atomic)
  }
}
