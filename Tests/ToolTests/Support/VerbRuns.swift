#if os(Linux)
  import Foundation
  import Glibc
  import LedgerSystem
  import LedgerTestSupport
  import PromiseLedger
  import PromiseLedgerTesting
  import Testing

  /// The runs of an example: each in a copy of one directory, which is made once.
  struct VerbRuns {
    /// The result of one run.
    struct Run {
      let output: String
      let notes: String
      let status: Int32

      fileprivate init(_ run: CommandRun, output: String? = nil, notes: String? = nil) {
        self.output = (output ?? run.output).withoutVolatileParts
        self.notes = (notes ?? run.notes).withoutVolatileParts
        status = run.status
      }
    }

    private static let shell = URL(fileURLWithPath: "/bin/sh")

    private let example: VerbExample
    private let original: TranscriptLedger
    private var words: [String] { [example.verb] + example.arguments }

    /// Makes the directory, with what the command needs.
    init(of example: VerbExample) throws {
      self.example = example
      original = try TranscriptLedger()
      try example.input.write(
        toFile: original.directory + "/input", atomically: true, encoding: .utf8)
      if let preparation = example.preparation {
        _ = try CommandRun(after: "cd '\(original.directory)'", preparation)
      }
    }

    /// Runs the command in a copy of the directory, so that no run meets what another one left.
    private func inCopy<R>(_ run: (_ directory: String) throws -> R) throws -> R {
      let temporary = try TemporaryDirectory(in: Scratch.path)
      return try withExtendedLifetime(temporary) {
        let directory = temporary.path + "/copy"
        try FileManager.default.copyItem(atPath: original.directory, toPath: directory)
        return try run(directory)
      }
    }

    /// Its output goes to a pipe.
    func piped() throws -> Run {
      try inCopy { directory in
        Run(try CommandRun(after: "cd '\(directory)'; exec <input", words))
      }
    }

    /// Its output goes to a pipe that is no longer read.
    func unread() throws -> Run {
      try inCopy { directory in
        let script = "cd '\(directory)'; exec <input; exec \"$0\" \"$@\""
        return Run(
          try CommandRun(
            intoClosedPipe: ["-c", script, CommandRun.program.path] + words, of: Self.shell))
      }
    }

    /// Its output goes to a terminal. That shows no progress, which would depend on the time.
    func atTerminal(ofWidth width: Int, isStyled: Bool = false) throws -> Run {
      try inCopy { directory in
        let line = ([CommandRun.program.path] + words).map { "'\($0)'" }.joined(separator: " ")
        let wish = isStyled ? "unset NO_COLOR; export TERM=xterm" : "export NO_COLOR=1 TERM=dumb"
        let command =
          "cd '\(directory)'; stty cols \(width) -onlcr; \(wish); \(line) <input 2>notes"
        let run = try CommandRun(
          ["--quiet", "--return", "--command", command, "/dev/null"],
          of: URL(fileURLWithPath: "/usr/bin/script"))
        let notes = try String(contentsOfFile: directory + "/notes", encoding: .utf8)
        return Run(run, notes: notes)
      }
    }

    /// It is interrupted while something holds it.
    func interrupted() throws -> (output: String, notes: String, ending: ChildProcess.Ending) {
      try inCopy { directory in
        // LMDB locks the first byte of this file while it opens the ledger.
        let lock = try #require(
          FileHandle(forUpdatingAtPath: directory + "/ledger/generation-000001/lock.mdb"))
        defer { try? lock.close() }
        if example.hold == .lock { try #require(lockf(lock.fileDescriptor, F_TLOCK, 1) == 0) }
        let process = try held(in: directory)
        try waitUntilHeld(process.id)
        process.send(signal: SIGINT)
        var output: [UInt8] = []
        while case let bytes = process.read(), !bytes.isEmpty { output += bytes }
        let ending = process.wait()
        let notes = try String(contentsOfFile: directory + "/notes", encoding: .utf8)
        return (String(decoding: output, as: UTF8.self), notes, ending)
      }
    }

    /// Starts the command that something holds.
    private func held(in directory: String) throws -> ChildProcess {
      // A pipe that is full.
      let full = "mkfifo pipe; exec 3<>pipe; head -c 65536 /dev/zero >&3; exec >&3 3>&-"
      let begin = example.hold == .output ? full : "true"
      let arguments = example.heldArguments ?? example.arguments
      return try ChildProcess(
        [
          "/bin/sh", "-c", "cd '\(directory)'; \(begin); exec \"$0\" \"$@\" 2>notes",
          CommandRun.program.path, example.verb,
        ] + arguments,
        environment: ProcessInfo.processInfo.environment.map { "\($0)=\($1)" },
        resetsSignals: true)
    }

    /// Waits until the shell has become the program, and, if that reads in a process of its own, until that is
    /// there.
    private func waitUntilHeld(_ process: Int32) throws {
      let program = CommandRun.program.resolvingSymlinksInPath().path
      try wait {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
          == program
      }
      guard example.hold == .lock else { return }
      let children = "/proc/\(process)/task/\(process)/children"
      try wait { try !String(contentsOfFile: children, encoding: .utf8).isEmpty }
    }

    private func wait(until isTrue: () throws -> Bool) throws {
      let pause = WakeSemaphore()
      for _ in 0..<60_000 {
        if try isTrue() { return }
        _ = pause.wait(timeout: .milliseconds(1))
      }
      throw NeverHeld()
    }

    struct NeverHeld: Error {}
  }

  extension String {
    /// Without what depends on the day, the version and the system.
    var withoutVolatileParts: String {
      // An age is shorter before ten o'clock, and in the first hour of a day: it may not be cut off, and
      // what follows it in a column is further away.
      replacing(/\(\d+ d[^)\n]*[…)] {2,}/, with: "(AGE)  ")
        .replacing(/\(\d+ d[^)\n]*[…)]/, with: "(AGE)")
        .replacing(/\d+ d( \d+ h)? ago */, with: "AGE  ")
        .replacing(Ledger.libraryVersion, with: "VERSION")
        .replacing(/\b(data|file|free|frame) bytes( +)\d+/) { "\($0.1) bytes\($0.2)N" }
        // Pages have the size of those of the system.
        .replacing(/\b(bytes {2,}|records, )\d+/) { "\($0.1)N" }
        .replacing(/^(\.TH .* ")[-\d]+"/) { "\($0.1)DATE\"" }
    }
  }
#endif
