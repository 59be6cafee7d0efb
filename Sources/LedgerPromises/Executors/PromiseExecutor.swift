public import Dispatch

/// Where a callback runs.
///
/// ```swift
/// image.done(on: .main) { view.show($0) }
/// ```
/// The default is a serial queue of this library and **not** the main queue, which never runs in
/// command-line tools and servers that do not ask for it. Every operator takes an `on:`; without one it
/// uses the executor of the promise that it is called on.
///
/// Callbacks of one promise on one serial executor run in the order of their registration.
public struct PromiseExecutor: Sendable {
  let kind: Kind

  enum Kind: Sendable {
    case serial(SerialQueue)
    case inline
    case dispatch(DispatchTarget)
    case custom(CustomTarget)
  }

  /// Runs callbacks on a target of your own, which the executor keeps alive.
  public init(_ target: some PromiseExecutorTarget) {
    self.kind = .custom(CustomTarget(strong: target))
  }

  /// Runs callbacks on a target that somebody else keeps alive.
  ///
  /// Once it is gone, promises whose callbacks it should have run are rejected with
  /// ``PromiseError/Code/executorGone``.
  public init(weakly target: some PromiseExecutorTarget) {
    self.kind = .custom(CustomTarget(weak: target))
  }

  private init(kind: Kind) {
    self.kind = kind
  }

  /// A serial queue shared by every promise that names no executor.
  ///
  /// Do not block in its callbacks: the others wait behind them.
  public static let `default` = PromiseExecutor.serial(label: "LedgerPromises.default")

  /// A new serial queue of its own.
  public static func serial(label: String) -> PromiseExecutor {
    PromiseExecutor(kind: .serial(SerialQueue(label: label)))
  }

  /// A Dispatch queue. Order is kept if the queue is serial.
  public static func dispatch(_ queue: DispatchQueue) -> PromiseExecutor {
    PromiseExecutor(kind: .dispatch(DispatchTarget(queue: queue)))
  }

  /// The main Dispatch queue. Somebody has to run it: an app does, a command-line tool may not.
  public static let main = PromiseExecutor(kind: .dispatch(mainTarget))

  /// In a global of its own, where leak checkers see the reference: an enum hides it behind its tag.
  private static let mainTarget = DispatchTarget(queue: .main, isMain: true)

  /// The thread that settles the promise, or the one that attaches to a settled one.
  ///
  /// The callback runs before `fulfill` or `then` returns, unless that thread is running an inline
  /// callback already: then right after it, so that chains of any length need no stack. You never hold
  /// a lock of this library in it, but you may well hold one of your own: prefer another executor.
  public static let inline = PromiseExecutor(kind: .inline)

  /// Whether the calling thread runs a callback of this executor.
  public var isCurrent: Bool {
    switch kind {
    case .serial(let queue): queue.isCurrent
    case .inline: false
    case .dispatch(let target): target.isCurrent
    case .custom(let target): target.isCurrent
    }
  }

  func enqueue(_ job: Job, from context: DrainContext?) {
    switch kind {
    case .serial(let queue):
      if let context, context.queue === queue {
        context.push(job)
      } else {
        queue.enqueue(job)
      }
    case .inline:
      if let context {
        context.pushDirect(job)
      } else {
        InlineTrampoline.run(job)
      }
    case .dispatch(let target):
      target.enqueue(job)
    case .custom(let target):
      target.enqueue(job)
    }
  }
}
