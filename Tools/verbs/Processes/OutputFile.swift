import LedgerSystem

/// A file that a command writes: it appears under its name only when it is complete.
package enum OutputFile {
  /// Writes a file in pieces.
  ///
  /// - Parameters:
  ///   - isReplacing: Whether a file that has the name is replaced.
  ///   - body: Receives a closure that adds bytes at the end.
  /// - Throws: ``Status/Failure`` if the file cannot be written, has the name of another, or would replace
  ///   something that is no file, such as a device; and any error of `body`, after which nothing is left.
  static func write(
    to path: String, isReplacing: Bool, _ body: (([UInt8]) throws -> Void) throws -> Void
  ) throws {
    if let kind = try? FileSystem.kind(path), kind != .file {
      throw Status.Failure(
        .usage,
        "\(path.escapingControlCharacters) is not a regular file, and only such a file can be replaced. Give another name, or - for standard output, which a shell can send anywhere."
      )
    }
    let path = try isReplacing ? target(of: path) : path
    removeUnfinished(path)
    do {
      var file = try AtomicFile(path)
      var gathered: [UInt8] = []
      try body { bytes in
        gathered += bytes
        guard gathered.count >= pieceSize else { return }
        try file.write(gathered)
        gathered.removeAll(keepingCapacity: true)
      }
      try file.write(gathered)
      if isReplacing {
        try file.finish()
      } else {
        try file.finishExclusively()
      }
    } catch let error as SystemError {
      guard error.code != .exists else { throw Status.Failure.exists(path) }
      throw Status.Failure.unwritable(path, error)
    }
  }

  /// The path of the file that is replaced or created: of a symbolic link, what it leads to, so that the link
  /// remains.
  ///
  /// - Throws: ``Status/Failure`` if a symbolic link leads to no directory that could hold the file.
  package static func target(of path: String) throws -> String {
    guard FileSystem.isSymbolicLink(path) else { return path }
    do throws(SystemError) {
      return try FileSystem.targetPath(path)
    } catch {
      throw Status.Failure.unwritable(path, error)
    }
  }

  /// Removes what a process left that was ended while it wrote a file. If that is not possible, it is harmless.
  static func removeUnfinished(_ path: String) {
    try? AtomicFile.removeUnfinished(in: FileSystem.parent(of: path)) {
      $0 == FileSystem.lastComponent(of: path)
    }
  }

  private static let pieceSize = 1 << 16
}

extension Status.Failure {
  fileprivate static func unwritable(_ path: String, _ error: SystemError) -> Status.Failure {
    Status.Failure(
      .systemFailure, "The file \(path) cannot be written. \(error)".escapingControlCharacters)
  }

  /// A file of the name is there already.
  static func exists(_ path: String) -> Status.Failure {
    Status.Failure(
      .usage,
      "The file \(path.escapingControlCharacters) exists. Give another name, or --force to replace it."
    )
  }
}
