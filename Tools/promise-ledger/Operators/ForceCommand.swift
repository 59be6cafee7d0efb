import ArgumentParser
import Foundation
import PromiseLedger

/// `promise-ledger force`: settles a promise, even one that is settled by code.
struct ForceCommand: OperatorCommand {
  static let configuration = CommandConfiguration(
    commandName: "force",
    abstract: "Settles a promise at once, even one that code settles.",
    discussion: """
      If code runs that settles the promise, its result is refused, with all its effects on the \
      ledger. The value of --value is stored as it is given, under the type of the promise, which \
      show prints; the program that reads it must be able to decode it. For a promise without a \
      value, of the type void, give null. Exit code 2 means that the promise is settled or \
      abandoned, that the value is not JSON, or that it has the type bytes, which is not JSON; \
      exit code 4 that a writer makes no progress. The ledger records the session, with the role \
      operator.
      """)

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var promise: PromiseOptions

  @Option(help: ArgumentHelp("Fulfil the promise with this value.", valueName: "json"))
  var value: String?

  @Option(help: ArgumentHelp("Reject the promise with this message.", valueName: "message"))
  var reject: String?

  @Option(help: ArgumentHelp("Cancel the promise for this reason.", valueName: "reason"))
  var cancel: String?

  @OptionGroup var confirmation: ConfirmationOptions
  @OptionGroup var output: FormatOptions

  var intention: String {
    let outcome = value != nil ? "fulfil" : reject != nil ? "reject" : "cancel"
    return "\(outcome) promise \(promise.words)"
  }

  func validate() throws {
    try requireLock()
    guard [value, reject, cancel].count(where: { $0 != nil }) == 1 else {
      throw ValidationError("Give one of --value, --reject and --cancel.")
    }
    if let value, !Self.isJSON(value) { throw ValidationError("The value is not JSON.") }
  }

  private static func isJSON(_ text: String) -> Bool {
    let bytes = Data(text.utf8)
    return (try? JSONSerialization.jsonObject(with: bytes, options: .fragmentsAllowed)) != nil
  }

  func change(of record: PromiseRecord) throws -> OperatorChange {
    let outcome = try outcome(for: record)
    return { ledger in
      switch try await ledger.forceOutcome(outcome, of: record.id) {
      case .resolved(let record), .deduplicated(let record): .done("force", record)
      case .alreadyResolved(let record), .abandoned(let record): .alreadyEnded(record)
      case .notFound: .notFound
      }
    }
  }

  private func outcome(for record: PromiseRecord) throws -> PromiseOutcome<StoredValue> {
    if let cancel { return .cancelled(reason: cancel) }
    if let reject {
      return .rejected(StoredError(domain: "promise-ledger", message: reject))
    }
    let text = value ?? "null"
    switch record.typeTag {
    case "void":
      guard text == "null" else {
        throw Status.Failure(.usage, "The promise has no value. Give --value null.")
      }
      return .fulfilled(StoredValue(typeTag: record.typeTag, bytes: []))
    case "bytes":
      throw Status.Failure(
        .usage, "The promise has a value of the type bytes, which is not JSON. Resolve it in code.")
    default:
      return .fulfilled(StoredValue(typeTag: record.typeTag, bytes: Array(text.utf8)))
    }
  }
}
