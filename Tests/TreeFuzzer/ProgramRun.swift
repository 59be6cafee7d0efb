import Foundation
import LedgerSystem
import LedgerTreeSupport
import Synchronization

/// One run of a program, and its result.
struct ProgramRun: Sendable {
  private(set) var output: [UInt8]
  private(set) var notes: String
  let ending: ChildProcess.Ending
  /// Whether it was ended because it took too long or printed too much.
  let isEndless: Bool

  /// No verb prints more than this about a sample.
  private static let maximumOutput = 64 << 20

  /// Runs a program and waits for its end.
  ///
  /// - Parameters:
  ///   - notesPath: A file for its standard error.
  ///   - limit: The longest time that it may take.
  ///   - useFirstLine: Receives its first line of output while it runs. It is ended by `SIGTERM` afterwards.
  init(
    _ words: [String], notesPath: String, limit: Duration,
    _ useFirstLine: ((String) throws -> Void)? = nil
  ) throws {
    var environment = ProcessInfo.processInfo.environment
    environment["SWIFT_BACKTRACE"] = "enable=no"
    environment["COLUMNS"] = "80"
    environment["NOTES"] = notesPath
    // The shell becomes the program.
    let child = try ChildProcess(
      ["/bin/sh", "-c", "exec \"$0\" \"$@\" 2>\"$NOTES\""] + words,
      environment: environment.map { "\($0)=\($1)" })
    let watch = try Watch(child, limit)
    var output: [UInt8] = []
    var useFirstLine = useFirstLine
    while case let bytes = child.read(), !bytes.isEmpty {
      output += bytes
      if let use = useFirstLine, let end = output.firstIndex(of: UInt8(ascii: "\n")) {
        useFirstLine = nil
        // It may have ended by itself meanwhile, which its exit code tells.
        try? use(String(decoding: output[..<end], as: UTF8.self))
        child.send(signal: SIGTERM)
      }
      if output.count > Self.maximumOutput { child.send(signal: SIGKILL) }
    }
    ending = child.wait()
    isEndless = watch.stop() || output.count > Self.maximumOutput
    self.output = output
    notes = String(
      decoding: try FileSystem.readPrefix(notesPath, maximumBytes: 1 << 16), as: UTF8.self)
  }

  /// The exit code, or the negative number of the signal that ended it.
  var status: Int32 {
    switch ending {
    case .exited(let code): code
    case .signalled(let signal): -signal
    }
  }

  /// The signal that ended its child, according to its message; `nil` if none did.
  var signalOfChild: Int32? {
    guard let words = notes.range(of: "crashed (signal ") else { return nil }
    return Int32(notes[words.upperBound...].prefix(while: \.isNumber))
  }

  /// Parses the output as the messages of a command's child.
  ///
  /// - Returns: Whether it reported its end.
  mutating func takeMessages() -> Bool {
    var (data, place, isWhole): ([UInt8], Int, Bool) = ([], 0, false)
    while place + 5 <= output.count {
      let length = Int(output.integer(at: place + 1, as: UInt32.self))
      let content = output[(place + 5)...].prefix(length)
      switch output[place] {
      case 1: data += content
      case 2: notes += String(decoding: content, as: UTF8.self) + "\n"
      case 5: isWhole = true
      default: break
      }
      place += 5 + length
    }
    output = data
    return isWhole
  }

  /// Whether its child gave no sign of life within the time that it was given.
  var childWasEndless: Bool { notes.contains("made no progress") }

  var text: String { String(decoding: output, as: UTF8.self) }

  /// Whether it printed anything that a terminal would take for a command.
  var hasControlCharacters: Bool {
    (text + notes).unicodeScalars.contains { scalar in
      scalar.properties.generalCategory == .control && scalar != "\n"
    }
  }
}

/// Ends a process that takes too long.
private final class Watch: Sendable {
  private let isBitten = Atomic<Bool>(false)
  private let isOver = WakeSemaphore()

  init(_ child: ChildProcess, _ limit: Duration) throws {
    _ = try SystemThread.start(name: "watch") { [self] in
      guard !isOver.wait(timeout: limit) else { return }
      isBitten.store(true, ordering: .releasing)
      child.send(signal: SIGKILL)
    }
  }

  /// Leaves the process alone from now on.
  ///
  /// - Returns: Whether it was ended.
  func stop() -> Bool {
    isOver.signal()
    return isBitten.load(ordering: .acquiring)
  }
}
