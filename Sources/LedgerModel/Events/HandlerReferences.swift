import LedgerBytes

/// The durable promises and handlers that occur in arguments, at any depth.
public struct HandlerReferences: Sendable, Hashable {
  /// The maximum number of promises and handlers that a set of arguments can refer to. They must fit into an
  /// event together with its other content.
  public static let maximumCount = 100

  /// The promises, in the order of their ids.
  public let promises: [PromiseID]
  /// The handlers, in the order of their ids.
  public let handlers: [HandlerID]

  /// No references.
  public static let none = HandlerReferences(promises: [], handlers: [])

  /// Sorts the references.
  package init(promises: Set<PromiseID>, handlers: Set<HandlerID>) {
    self.promises = promises.sorted()
    self.handlers = handlers.sorted()
  }

  init(reading reader: inout PayloadReader) throws(PayloadDamage) {
    let promiseCount: UInt16 = try reader.integer()
    let handlerCount: UInt16 = try reader.integer()
    promises = try reader.ascendingIdentifiers(promiseCount)
    handlers = try reader.ascendingIdentifiers(handlerCount)
  }

  func append(to bytes: inout [UInt8]) {
    bytes.appendLittleEndian(UInt16(clamping: promises.count))
    bytes.appendLittleEndian(UInt16(clamping: handlers.count))
    for id in promises { id.entityID.append(to: &bytes) }
    for id in handlers { id.entityID.append(to: &bytes) }
  }
}

/// Arguments together with their references.
package struct ArgumentSet: Sendable, Hashable {
  package let arguments: StoredArguments
  package let references: HandlerReferences

  package static let none = ArgumentSet(arguments: .none, references: .none)

  /// - Throws: `payloadTooLarge` if there are too many references.
  package init(
    checking arguments: StoredArguments, references: HandlerReferences
  ) throws(LedgerError) {
    let count = references.promises.count + references.handlers.count
    guard count <= HandlerReferences.maximumCount else {
      throw LedgerError(
        .payloadTooLarge,
        "The arguments refer to \(count) promises and handlers; the maximum is \(HandlerReferences.maximumCount). Pass ids as text, or spread the arguments over several handlers."
      )
    }
    self.init(arguments: arguments, references: references)
  }

  private init(arguments: StoredArguments, references: HandlerReferences) {
    self.arguments = arguments
    self.references = references
  }
}

extension PayloadReader {
  fileprivate mutating func ascendingIdentifiers<ID: LedgerIdentifier>(
    _ count: UInt16
  ) throws(PayloadDamage) -> [ID] {
    var ids: [ID] = []
    for _ in 0..<count {
      let id: ID = try identifier()
      if let last = ids.last, last >= id {
        throw PayloadDamage(what: "the references are not in the order of their ids")
      }
      ids.append(id)
    }
    return ids
  }
}
