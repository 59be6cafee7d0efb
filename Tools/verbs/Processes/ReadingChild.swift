import ArgumentParser
import Foundation
import LedgerSystem

/// The process that reads the ledger for a command.
///
/// LMDB trusts its file: a damaged one can crash it or send it into an endless loop. That must only
/// end a process that is not needed afterwards.
enum ReadingChild {
  /// The first word of its command line; the second says whether its output is styled, and the third how many
  /// columns its terminal has, if it goes to one.
  static let word = "@read"

  /// The command line that starts it.
  static func commandLine(isStyled: Bool, lineLimit: Int?, _ arguments: [String]) -> [String] {
    [program, word, isStyled ? "styled" : "plain", lineLimit.map(String.init) ?? "any"] + arguments
  }

  /// Runs a command in this process, which is the child.
  static func run(_ arguments: [String]) -> Status {
    let output = ChildOutput(
      isStyled: arguments.first == "styled",
      lineLimit: arguments.dropFirst().first.flatMap { Int($0) })
    do {
      var status = Status.fine
      do {
        let command = try ToolCommand.parseAsRoot(Array(arguments.dropFirst(2)))
        guard let command = command as? any ChildCommand else { return .usage }
        if command.readsInput { output.input = try StandardInput.takeFramed() }
        endWithParent()
        try command.perform(output)
      } catch {
        let failure = Status.Failure(error) ?? Status.Failure(.systemFailure, "\(error)")
        if let message = failure.message { try output.note(message) }
        status = failure.status
      }
      try output.end(status)
      return status
    } catch {
      // The parent no longer listens.
      return .fine
    }
  }

  /// Standard input ends when the parent ends. A child that has lost its parent ends too.
  private static func endWithParent() {
    _ = try? SystemThread.start(name: "parent") {
      while !FileHandle.standardInput.availableData.isEmpty {}
      _exit(Status.systemFailure.rawValue)
    }
  }

  /// The command line that starts this program for another purpose.
  static func commandLine(word: String) -> [String] { [program, word] }

  /// This program. On Linux this works even if its file was replaced meanwhile.
  private static var program: String {
    #if os(Linux)
      "/proc/self/exe"
    #else
      Bundle.main.executablePath ?? CommandLine.arguments[0]
    #endif
  }
}
