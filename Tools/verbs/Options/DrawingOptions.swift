import ArgumentParser

/// The options of every command that draws lines.
struct DrawingOptions: ParsableArguments {
  @Flag(help: "Draw with the characters of ASCII only.")
  var ascii = false
}
