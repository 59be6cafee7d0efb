package import PromiseLedger
package import PromiseLedgerTesting

/// A kind of handler as another build may have it: with parameters of any name and type.
package struct Lenient<Original: LedgerHandler>: LedgerHandler {
  package static var kind: String { Original.kind }

  package init(from decoder: any Decoder) throws {
    _ = try decoder.container(keyedBy: AnyName.self)
  }

  package func encode(to encoder: any Encoder) throws {}
  package func run(in call: HandlerCall<Void>) {}
}

/// A kind with parameters of any name and type.
package typealias AnyArguments = Lenient<Unspecified>

package struct Unspecified: LedgerHandler {
  package static let kind = "any-arguments"
  package func run(in call: HandlerCall<Void>) {}
}

private struct AnyName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension TemporaryLedger {
  /// Creates a handler as another build does, with arguments that this one would refuse.
  package func createElsewhere<Handler: LedgerHandler>(
    _ type: Handler.Type, _ arguments: HandlerArguments
  ) async throws -> HandlerID {
    let ledger = try await open(as: .appExtension) { try $0.register(Lenient<Handler>.self) }
    let id = try await ledger.createHandler(Lenient<Handler>.self, arguments).handler.id
    await ledger.close()
    return id
  }
}
