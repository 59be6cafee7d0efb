import ArgumentParser

/// `promise-ledger completion`: a script by which a shell completes words.
struct CompletionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion",
    abstract: "Prints a script by which a shell completes verbs, options and their values.",
    discussion: """
      Put the output where the shell looks for it: for bash, into \
      ~/.local/share/bash-completion/completions/\(Program.tool.name); for zsh, into a file named \
      _\(Program.tool.name) in a directory of $fpath; for fish, into \
      ~/.config/fish/completions/\(Program.tool.name).fish.
      """)

  enum Shell: String, ExpressibleByArgument, CaseIterable {
    case bash, zsh, fish
  }

  @Argument(help: "The shell.")
  var shell: Shell

  func run() throws {
    guard let kind = CompletionShell(rawValue: shell.rawValue) else {
      throw Status.Failure(.usage, "There is no script for \(shell.rawValue).")
    }
    let output = DirectOutput()
    try output.write(ToolCommand.completionScript(for: kind) + "\n")
    try output.flush()
  }
}
