/// One call of an observer's body that waits for its turn.
@usableFromInline
struct Job: Sendable {
  let source: PromiseCore
  let fate: Fate
  let body: Observer.Body

  func run(in context: DrainContext) {
    body(source, fate, context)
  }

  /// Tells the observer that its executor dropped the call.
  ///
  /// On the trampoline, because a chain on an executor that is gone abandons link after link.
  func abandon() {
    InlineTrampoline.run(Job(source: source, fate: .abandoned, body: body))
  }
}
