import LedgerPromises
import Testing

/// A row of a table in the article *From other libraries*, as a test: the code of its second column, and the
/// result that the library of its first column has for the code there.
struct MigrationRow: Sendable, CustomTestStringConvertible {
  /// The first column.
  let theirs: String
  /// The result that their code has there, as text, followed by its log in brackets.
  let expected: String
  /// The result that the row has here, if it differs. The third column has to explain why.
  let here: String?
  private let body: @Sendable (MigrationLog) async throws -> String

  var testDescription: String { theirs }

  init(
    _ theirs: String, _ expected: String, here: String? = nil,
    _ body: @escaping @Sendable (MigrationLog) async throws -> String
  ) {
    self.theirs = theirs
    self.expected = expected
    self.here = here
    self.body = body
  }

  /// Runs our code.
  func run() async throws -> String {
    let log = MigrationLog()
    let result = try await body(log)
    let lines = log.lines
    return lines.isEmpty ? result : "\(result) [\(lines.joined(separator: ", "))]"
  }
}

/// The log of a row's closures. It can be called, so that code of the article can write `log($0)`.
final class MigrationLog: Sendable {
  private let recorder = Recorder<String>()

  var lines: [String] { recorder.events }

  func callAsFunction(_ entry: some Sendable) {
    recorder.record(describe(entry))
  }
}

/// A value, an error or an outcome, as rows state them.
func describe(_ value: some Sendable) -> String {
  switch value {
  case let error as TestError: "error \(error.number)"
  case let error as PromiseError where error.code == .cancelled: "cancelled"
  case let error as PromiseError: "\(error.code)"
  default: "\(value)"
  }
}

func describe<Value>(_ outcome: Outcome<Value>) -> String {
  switch outcome {
  case .fulfilled(let value): describe(value)
  case .rejected(let error): describe(error)
  case .cancelled: "cancelled"
  }
}

func describe<Value>(_ outcome: Outcome<Value>?) -> String {
  outcome.map { describe($0) } ?? "pending"
}

/// How a promise ends.
func end<Value>(_ promise: Promise<Value>) async throws -> String {
  describe(try await promise.settlement())
}

/// The results of an operator on a fulfilled promise, and on a rejected one.
func outcomes<Value>(_ apply: (Promise<Int>) -> Promise<Value>) async throws -> String {
  let fulfilled = try await end(apply(.value(1)))
  return try await "\(fulfilled), \(end(apply(.rejected(TestError(1)))))"
}

/// Calls `body` in a function that is not asynchronous, for calls that are refused in others.
func synchronously<Value>(_ body: () throws -> Value) rethrows -> Value { try body() }
