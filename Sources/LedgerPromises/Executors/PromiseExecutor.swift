public import Dispatch

/// Where a callback runs.
///
/// ```swift
/// image.done(on: .main) { view.show($0) }
/// ```
/// With `.main` the compiler takes the overload with a ``MainActorExecutor``, whose closure may use what the
/// main actor isolates.
///
/// The default is a serial queue of this library and **not** the main queue, which never runs in
/// command-line tools and servers that do not ask for it. Every operator takes an `on:`; without one it
/// uses the executor of the promise that it is called on.
///
/// Callbacks of one promise on one serial executor run in the order of their registration.
public struct PromiseExecutor: Sendable {
  @usableFromInline let target: ExecutorTarget

  /// Runs callbacks on a target of your own, which the executor keeps alive.
  public init(_ target: some PromiseExecutorTarget) {
    self.target = CustomTarget(strong: target)
  }

  /// Runs callbacks on a target that your code keeps alive.
  ///
  /// Once it is gone, promises whose callbacks it should have run are rejected with
  /// ``PromiseError/Code/executorGone``.
  public init(weakly target: some PromiseExecutorTarget) {
    self.target = CustomTarget(weak: target)
  }

  init(_ target: ExecutorTarget) {
    self.target = target
  }

  /// The executor of every promise that names none: a serial queue of this library, unless
  /// ``setDefault(_:)`` set another one.
  ///
  /// Do not block in its callbacks: the others wait behind them.
  public static var `default`: PromiseExecutor { DefaultExecutor.current }

  /// Replaces the default executor of the whole process, and returns the former one.
  ///
  /// ```swift
  /// // At the start of an app whose callbacks all belong to its user interface
  /// PromiseExecutor.setDefault(.main)
  /// ```
  /// Promises that were made before keep theirs, so call it first of all. A library leaves it alone: the
  /// choice is the program's.
  @discardableResult
  public static func setDefault(_ executor: PromiseExecutor) -> PromiseExecutor {
    DefaultExecutor.replace(with: executor)
  }

  /// A new serial queue of its own.
  public static func serial(label: String) -> PromiseExecutor {
    PromiseExecutor(SerialQueue(label: label))
  }

  /// A Dispatch queue. Order is kept if the queue is serial.
  public static func dispatch(_ queue: DispatchQueue) -> PromiseExecutor {
    PromiseExecutor(DispatchTarget(queue: queue))
  }

  /// The system's queue for work that the user does not wait for, with the quality of service `background`.
  ///
  /// ```swift
  /// let digest = Promise(in: .background) { try hash(of: file) }
  /// ```
  /// It runs callbacks side by side, so there is no order among them.
  public static let background = PromiseExecutor.dispatch(.global(qos: .background))

  /// The main actor. An app runs it; a command-line tool may not.
  ///
  /// As the executor of a promise it is where callbacks run that name none. Their closures are not isolated,
  /// as far as the compiler knows; name it with `on: .main` at each operator that touches the user interface.
  public static let main = PromiseExecutor(MainActorTarget())

  /// The thread that settles the promise, or the one that attaches to a settled one.
  ///
  /// The callback runs before `fulfill` or `then` returns, unless that thread is running an inline
  /// callback already: then right after it, so that chains of any length need no stack. You never hold
  /// a lock of this library in it, but you may well hold one of your own: prefer another executor.
  public static let inline = PromiseExecutor(InlineTarget())

  /// Whether the calling thread runs a callback of this executor.
  public var isCurrent: Bool { target.isCurrent }
}
