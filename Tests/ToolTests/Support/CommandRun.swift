import Foundation

/// One run of the built command, and its result.
struct CommandRun {
  let output: String
  let notes: String
  let status: Int32

  /// Runs `promise-ledger` with arguments and waits for its end.
  init(_ arguments: String...) throws {
    try self.init(arguments)
  }

  /// Runs `promise-ledger` with arguments and waits for its end.
  init(_ arguments: [String]) throws {
    try self.init(arguments, of: Self.program)
  }

  /// Runs a program with arguments and waits for its end.
  init(_ arguments: [String], of program: URL) throws {
    let output = Pipe()
    let notes = Pipe()
    let process = try Self.start(
      arguments, of: program, output: output.fileHandleForWriting, notes: notes)
    try output.fileHandleForWriting.close()
    self.output = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    self.notes = String(decoding: notes.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    status = process.status
  }

  /// Runs `promise-ledger` without a reader of its output.
  init(intoClosedPipe arguments: String...) throws {
    try self.init(intoClosedPipe: arguments)
  }

  /// Runs a program without a reader of its output.
  init(intoClosedPipe arguments: [String], of program: URL = program) throws {
    let output = Pipe()
    let notes = Pipe()
    try output.fileHandleForReading.close()
    let process = try Self.start(
      arguments, of: program, output: output.fileHandleForWriting, notes: notes)
    self.output = ""
    self.notes = String(decoding: notes.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    status = process.status
  }

  /// Runs `promise-ledger` with arguments as a shell makes them of a script: they may be any bytes.
  init(shell arguments: String) throws {
    try self.init(
      ["-c", "exec \"$0\" \(arguments)", Self.program.path],
      of: URL(fileURLWithPath: "/bin/sh"))
  }

  /// Runs `promise-ledger` in a shell that first gives commands, such as limits.
  init(after commands: String, _ arguments: [String], of program: URL = program) throws {
    try self.init(
      ["-c", "\(commands); exec \"$0\" \"$@\"", program.path] + arguments,
      of: URL(fileURLWithPath: "/bin/sh"))
  }

  #if os(Linux)
    /// Runs `promise-ledger` at a terminal, whose output is that of both streams.
    ///
    /// - Parameter isStyled: Whether the environment asks for colours.
    init(atTerminalOfWidth width: Int, isStyled: Bool = false, _ arguments: String...) throws {
      let words = ([Self.program.path] + arguments).map { "'\($0)'" }.joined(separator: " ")
      let wish = isStyled ? "unset NO_COLOR; export TERM=xterm" : "export NO_COLOR=1"
      let command = "stty cols \(width) -onlcr; \(wish); \(words)"
      try self.init(
        ["--quiet", "--return", "--command", command, "/dev/null"],
        of: URL(fileURLWithPath: "/usr/bin/script"))
    }
  #endif

  private static func start(
    _ arguments: [String], of program: URL = program, output: FileHandle, notes: Pipe
  ) throws -> Process {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    // Help is as wide as the terminal claims to be.
    process.environment = ProcessInfo.processInfo.environment.merging(["COLUMNS": "80"]) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = notes
    try process.run()
    return process
  }

  /// The built command.
  static var program: URL { program(named: "promise-ledger") }

  /// A program that was built with the tests.
  static func program(named name: String) -> URL {
    productsDirectory.appendingPathComponent(name)
  }

  /// Where the tests were built to, and the command beside them.
  private static var productsDirectory: URL {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    return bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
  }
}

extension Process {
  /// The exit code, or the negative number of the signal that ended the process.
  fileprivate var status: Int32 {
    terminationReason == .exit ? terminationStatus : -terminationStatus
  }
}
