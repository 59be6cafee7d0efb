import Foundation
import PromiseLedger
import Testing

/// The types of the table of arguments.
enum ArgumentType: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case bool, int, uint8, double, string, bytes, data, date, uuid, array, dictionary, enumeration
  case promise, handler

  var testDescription: String { rawValue }

  /// Whether a value of this type may be used where another type is required, according to the
  /// specification: for the same type, for an integer that is widened without loss, or for an
  /// `Int`, as integer literals are, for every number type that has its value: here only -7 for a
  /// `Double`.
  func mayStand(for other: ArgumentType, isFirst: Bool) -> Bool {
    self == other || (self == .uint8 && other == .int)
      || (self == .int && other == .double && isFirst)
  }
}

enum Colour: String, Codable, Sendable {
  case red, green
}

/// Does something with each type and two different values of it.
protocol ArgumentVisitor {
  associatedtype Result
  func visit<Value: Codable & Sendable & Equatable>(_ first: Value, _ second: Value) async throws
    -> Result
}

extension ArgumentType {
  func visit<Visitor: ArgumentVisitor>(
    _ visitor: Visitor, in ledger: Ledger
  ) async throws -> Visitor.Result {
    switch self {
    case .bool: return try await visitor.visit(true, false)
    case .int: return try await visitor.visit(-7, Int.max)
    case .uint8: return try await visitor.visit(UInt8(0), UInt8(255))
    case .double: return try await visitor.visit(1.0, -2.5e300)
    case .string: return try await visitor.visit("", "a \"quoted\"/ü\u{1F600}\n")
    case .bytes: return try await visitor.visit([UInt8](), [0, 255, 34] as [UInt8])
    case .data: return try await visitor.visit(Data(), Data([0, 255, 34]))
    case .date:
      return try await visitor.visit(
        Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 1_767_225_600.25))
    case .uuid:
      return try await visitor.visit(
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
        UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255)))
    case .array: return try await visitor.visit([Int](), [1, -2, 3])
    case .dictionary: return try await visitor.visit([String: Int](), ["a": 1, "b": -2])
    case .enumeration: return try await visitor.visit(Colour.red, Colour.green)
    case .promise:
      return try await visitor.visit(
        try await ledger.createPromise(of: Int.self), try await ledger.createPromise(of: Int.self))
    case .handler:
      return try await visitor.visit(
        try await ledger.createHandler(Nothing.self).handler,
        try await ledger.createHandler(Nothing.self).handler)
    }
  }
}

/// A handler to refer to.
struct Nothing: LedgerHandler {
  static let kind = "nothing"
  func run(in call: HandlerCall<Void>) {}
}
