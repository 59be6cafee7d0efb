/// The main actor as the place where a callback runs, known to the compiler.
///
/// ```swift
/// @MainActor func load(into label: Label) {
///   user.map { $0.name }
///     .done(on: .main) { label.text = $0 }
///     .catch(on: .main) { label.text = "\($0)" }
/// }
/// ```
/// Every operator that takes a callback takes this executor too, and then a closure that is isolated to the
/// main actor. It runs there in a turn of its own, never inside the call that settles the promise.
public struct MainActorExecutor: Sendable {
  /// The main actor.
  public static let main = MainActorExecutor()

  var executor: PromiseExecutor { .main }
}
