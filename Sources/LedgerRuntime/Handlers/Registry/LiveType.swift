/// The type of the live objects from which the context of a kind is made.
struct LiveType: Sendable {
  let name: String
  let fits: @Sendable (any Sendable) -> Bool

  init<Live: Sendable>(_ type: Live.Type) {
    name = "\(type)"
    fits = { $0 is Live }
  }
}

/// A live object that a caller passes in addition to the arguments.
struct LiveObject: Sendable {
  let object: any Sendable
  /// Whether kinds that take another type, or none, simply do not receive it.
  var isOptional = false

  init?(_ object: (any Sendable)?, isOptional: Bool = false) {
    guard let object else { return nil }
    self.object = object
    self.isOptional = isOptional
  }

  /// The object, if the kind takes it.
  ///
  /// - Throws: ``LedgerError/Code/typeMismatch`` if the kind must take it but does not.
  func object(for entity: HandlerEntity, taking type: LiveType?) throws(LedgerError)
    -> (any Sendable)?
  {
    if let type, type.fits(object) { return object }
    guard !isOptional else { return nil }
    let wanted = type.map { "one of the type \($0.name)" } ?? "none"
    throw LedgerError(
      .typeMismatch,
      "\(entity.name) was given an object of the type \(Swift.type(of: object)) beside the arguments, but takes \(wanted). Register the kind with that type: register(_:with:context:)."
    )
  }
}
