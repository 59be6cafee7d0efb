/// The effects that code requests, and what its session knows of handlers: an effect may start a call only if
/// the session can run it.
package struct RequestedEffects: Sendable {
  /// The effects in the order in which the code requested them; those of failed code are dropped.
  package let effects: [HandlerEffect]
  /// All names, current and former, of the kinds of handlers that the session knows.
  package let runnableKinds: Set<String>
  /// The names among them whose kinds have invalidation code.
  package let kindsWithInvalidationCode: Set<String>

  /// No effects.
  package static let none = RequestedEffects([])

  package init(
    _ effects: [HandlerEffect], runnableKinds: Set<String> = [],
    kindsWithInvalidationCode: Set<String> = []
  ) {
    self.effects = effects
    self.runnableKinds = runnableKinds
    self.kindsWithInvalidationCode = kindsWithInvalidationCode
  }

  func addSubjects(to needs: inout SnapshotNeeds) {
    for effect in effects { needs.ids.insert(effect.subject) }
  }

  /// - Parameter subject: The start of the error's message.
  func checkCount(of subject: @autoclosure () -> String) throws(LedgerError) {
    guard effects.count > HandlerEffect.maximumCount else { return }
    throw LedgerError(
      .invalidArgument,
      "\(subject()) has \(effects.count) effects; the maximum is \(HandlerEffect.maximumCount). Spread them over several calls."
    )
  }
}
