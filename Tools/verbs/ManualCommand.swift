import ArgumentParser

/// `promise-ledger manual`: the manual page.
struct ManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual",
    abstract: "Prints the manual page, made of the same texts as the help.",
    discussion: """
      To read it: \(Program.tool.name) manual | man -l -. To install it, put it into a file named \
      \(Program.tool.name).1 in the directory man1 of a directory of $MANPATH, such as \
      ~/.local/share/man/man1.
      """)

  func run() throws {
    let output = DirectOutput()
    try output.write(ManualPage(of: try CommandHelp.ofTool()).text)
    try output.flush()
  }
}
