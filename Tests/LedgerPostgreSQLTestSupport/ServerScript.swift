import LedgerSystem

/// A script of this repository that runs servers until its standard input ends.
final class ServerScript: Sendable {
  private let process: ChildProcess

  /// - Parameters:
  ///   - name: The name of the script, in the folder Tools.
  ///   - port: The port that the servers and their programs take from their environment.
  init(_ name: String, _ settings: [String], port: Int? = nil) throws {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    var environment = ["PATH", "TMPDIR"].compactMap { name in
      ThisProcess.environmentVariable(name).map { "\(name)=\($0)" }
    }
    if let port { environment.append("PGPORT=\(port)") }
    process = try ChildProcess(["/\(root)/Tools/\(name)"] + settings, environment: environment)
  }

  deinit {
    // A zombie process would keep Swift Testing from seeing that its exit tests ended.
    process.closeInput()
    _ = process.wait()
  }

  func send(_ line: String) throws { try process.write(Array("\(line)\n".utf8)) }

  /// The next line that it prints. It prints one at a time, and only when it is asked.
  func line() throws -> String {
    var output: [UInt8] = []
    while output.last != UInt8(ascii: "\n") {
      let bytes = process.read()
      guard !bytes.isEmpty else { throw MissingServer() }
      output += bytes
    }
    return String(decoding: output.dropLast(), as: UTF8.self)
  }

  /// The error for a missing server; the script said why.
  struct MissingServer: Error {}
}
