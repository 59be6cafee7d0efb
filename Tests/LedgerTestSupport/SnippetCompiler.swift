import Foundation

/// Gives snippets to the compiler, against the modules that the running test was built with.
package enum SnippetCompiler: Sendable {
  package struct Output: Sendable {
    package let status: Int32
    package let text: String
  }

  /// Compiles a file, and throws the result away.
  package static func compile(_ source: String) throws -> Output {
    let file = Scratch.path + "/snippet-\(UUID().uuidString).swift"
    defer { try? FileManager.default.removeItem(atPath: file) }
    try "\(source)\n".write(toFile: file, atomically: true, encoding: .utf8)
    let root = packageRoot()
    let products = try productsDirectory()
    var arguments = ["swiftc"]
    // The whole of it: lifetimes and consumption are diagnosed after type checking.
    arguments += ["-emit-sil", "-o", "/dev/null", "-parse-as-library", "-module-name", "Snippet"]
    arguments += ["-swift-version", "6", "-package-name", packageName(of: root)]
    arguments += ["-I", products + "/Modules", "-module-cache-path", products + "/ModuleCache"]
    for map in [
      "\(root)/Sources/CLedgerLMDB/module.modulemap",
      "\(products)/CLedgerSystem.build/module.modulemap",
    ] {
      arguments += ["-Xcc", "-fmodule-map-file=\(map)"]
    }
    arguments += ["-enable-experimental-feature", "Lifetimes"]
    for feature in ["ExistentialAny", "InternalImportsByDefault", "NonisolatedNonsendingByDefault"]
    {
      arguments += ["-enable-upcoming-feature", feature]
    }
    arguments.append(file)

    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Output(status: process.terminationStatus, text: String(decoding: text, as: UTF8.self))
  }

  /// The package's directory, from where this file stood when it was compiled.
  package static func packageRoot() -> String {
    URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
  }

  /// The name that SwiftPM passes for the package: that of its directory as an identifier.
  private static func packageName(of root: String) -> String {
    let name = URL(fileURLWithPath: root).lastPathComponent.lowercased()
    return String(name.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
  }

  /// Where the running test bundle was built.
  private static func productsDirectory() throws -> String {
    #if os(Linux)
      let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      return URL(fileURLWithPath: executable).deletingLastPathComponent().path
    #else
      final class Marker {}
      return Bundle(for: Marker.self).bundleURL.deletingLastPathComponent().path
    #endif
  }
}
