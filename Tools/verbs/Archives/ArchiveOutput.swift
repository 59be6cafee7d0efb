import ArgumentParser
import Foundation
import LedgerGzip
import LedgerRuntime

/// The options of a command that writes an archive: the file, and whether it is compressed.
struct ArchiveOutput: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The file of the archive; - for standard output. One that ends in .gz is compressed.",
      valueName: "file"),
    completion: .file())
  var output = "-"

  @Flag(help: "Compress the archive with gzip. `import`, `diff` and `replay` recognise it.")
  var gzip = false

  @Flag(help: "Replace the file if it exists.")
  var force = false

  func validate() throws {
    guard output != "-" || !gzip || isatty(STDOUT_FILENO) == 0 else {
      throw ValidationError(
        "Compressed data is not for a terminal. Give a file with --output, or leave out --gzip.")
    }
  }

  /// Refuses an output that cannot be right, before any work is done for it.
  ///
  /// - Parameter ledger: The ledger, in which no file of a user belongs.
  func check(outside ledger: some LedgerOptions) throws {
    guard output != "-" else { return }
    if !force, FileManager.default.fileExists(atPath: output) {
      throw Status.Failure.exists(output)
    }
    try ledger.check(output: output)
  }

  /// Writes the pieces that `body` hands over. A file appears only when it is complete.
  func write(
    _ sink: any TextSink, _ body: @escaping (([UInt8]) throws -> Void) throws -> Void
  ) throws {
    guard output != "-" else {
      try compressing(gzip, { try sink.write($0) }, body)
      return try sink.flush()
    }
    try OutputFile.write(to: output, isReplacing: force) { write in
      try compressing(gzip || output.hasSuffix(".gz"), write, body)
    }
  }

  private func compressing(
    _ isCompressed: Bool, _ write: ([UInt8]) throws -> Void,
    _ body: @escaping (([UInt8]) throws -> Void) throws -> Void
  ) throws {
    guard isCompressed else { return try body(write) }
    do {
      let compressor = try GzipCompressor()
      try body { try write(compressor.compress($0)) }
      try write(compressor.finish())
    } catch let error as GzipError {
      throw Status.Failure(.systemFailure, "The archive cannot be compressed: \(error).")
    }
  }
}
