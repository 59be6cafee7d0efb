/// One call of an observer that waits for its turn.
@usableFromInline
struct Job: Sendable {
  /// Whole, because taking it apart would count references; for the same reason a job is consumed
  /// wherever it is handed on.
  let observer: Observer
  let fate: Fate

  init(_ observer: Observer, fate: Fate) {
    self.observer = observer
    self.fate = fate
  }

  /// Whether it runs code of the user, and so needs an executor.
  var needsExecutor: Bool { observer.triggers.contains(fate) }

  func run(in context: DrainContext) {
    observer.body(fate, context)
  }

  /// Tells the observer that its executor dropped the call.
  ///
  /// On the trampoline, because a chain on an executor that is gone abandons link after link.
  func abandon() {
    InlineTrampoline.run(Job(observer, fate: .abandoned))
  }
}
