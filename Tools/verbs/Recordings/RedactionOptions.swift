import ArgumentParser
import Foundation
import LedgerRuntime

/// The options that replace values and texts by others.
struct RedactionOptions: ParsableArguments {
  private static let smallestSecret = 16
  private static let largestSecret = 1 << 20

  @Flag(help: "Replace values and texts.")
  var redact = false

  @Option(
    help: ArgumentHelp(
      "With --redact: a file of at least 16 random bytes. Outputs made with the same secret can be compared. By default, each run uses a new secret.",
      valueName: "file"),
    completion: .file())
  var secret: String?

  func validate() throws {
    guard redact || secret == nil else { throw ValidationError("--secret needs --redact.") }
  }

  /// What replaces values and texts; `nil` if nothing is replaced.
  ///
  /// - Throws: ``Status/Failure`` if the secret cannot be read, or is too short or too long.
  func redactor() throws -> Redactor? {
    guard redact else { return nil }
    guard let secret else { return Redactor(salt: Redactor.randomSalt()) }
    let name = secret.escapingControlCharacters
    var bytes = Data()
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: secret))
      while bytes.count <= Self.largestSecret,
        let more = try file.read(upToCount: Self.largestSecret), !more.isEmpty
      {
        bytes += more
      }
    } catch {
      throw Status.Failure(.usage, "The secret \(name) cannot be read. Give a readable file.")
    }
    guard (Self.smallestSecret...Self.largestSecret).contains(bytes.count) else {
      throw Status.Failure(
        .usage,
        "The secret \(name) must have between \(Self.smallestSecret) and \(Self.largestSecret) bytes."
      )
    }
    return Redactor(secret: Array(bytes))
  }
}
