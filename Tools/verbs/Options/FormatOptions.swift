package import ArgumentParser

/// The options of every command whose output has a format.
package struct FormatOptions: ParsableArguments {
  @Option(help: "The format of the output.")
  package var format: OutputFormat = .table

  package init() {}
}
