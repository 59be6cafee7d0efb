#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A type with a value that substitutes for a missing argument while the others are checked.
protocol BlankArgument {
  static var blank: Self { get }
}

/// A value that substitutes for a missing argument of a type, if one can be made.
func blankArgument<Value>(of type: Value.Type) -> Value? {
  if let type = type as? any BlankArgument.Type { return type.blank as? Value }
  if let type = type as? any CaseIterable.Type { return firstCase(of: type) as? Value }
  return nil
}

private func firstCase<Value: CaseIterable>(of type: Value.Type) -> Value? {
  type.allCases.first
}

extension BlankArgument where Self: ExpressibleByIntegerLiteral {
  static var blank: Self { 0 }
}

extension Int: BlankArgument {}
extension Int8: BlankArgument {}
extension Int16: BlankArgument {}
extension Int32: BlankArgument {}
extension Int64: BlankArgument {}
extension UInt: BlankArgument {}
extension UInt8: BlankArgument {}
extension UInt16: BlankArgument {}
extension UInt32: BlankArgument {}
extension UInt64: BlankArgument {}
extension Double: BlankArgument {}
extension Float: BlankArgument {}

extension Bool: BlankArgument {
  static var blank: Bool { false }
}

extension BlankArgument where Self: RangeReplaceableCollection {
  static var blank: Self { Self() }
}

extension String: BlankArgument {}
extension Array: BlankArgument {}
extension Data: BlankArgument {}

extension Dictionary: BlankArgument {
  static var blank: [Key: Value] { [:] }
}

extension Date: BlankArgument {
  static var blank: Date { Date(timeIntervalSince1970: 0) }
}

extension UUID: BlankArgument {
  static var blank: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}

extension DurableHandler: BlankArgument {
  static var blank: DurableHandler {
    DurableHandler(id: HandlerID(entityID: EntityID(high: 0, low: 0)), ledger: nil)
  }
}

extension DurablePromise: BlankArgument {
  static var blank: DurablePromise {
    DurablePromise(detachedWith: PromiseID(entityID: EntityID(high: 0, low: 0)))
  }
}
