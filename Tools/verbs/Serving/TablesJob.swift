#if Serve
  import Foundation
  import Synchronization

  /// Makes the lists of the live page anew, on a thread of its own, so that events do not wait for it.
  final class TablesJob: Sendable {
    let start = ContinuousClock.now
    private let beats = Atomic(0)
    private let outcome = Mutex<Result<PageTables, any Error>?>(nil)

    /// - Parameter make: Receives a closure to call now and then.
    init(_ make: @escaping @Sendable (_ alive: @escaping () -> Void) throws -> PageTables) {
      Thread.detachNewThread { [self] in
        let result = Result { try make { self.beats.add(1, ordering: .relaxed) } }
        outcome.withLock { $0 = result }
      }
    }

    /// A number that grows while it makes progress.
    var beat: Int { beats.load(ordering: .relaxed) }

    /// What it made; `nil` if it is not done.
    func result() throws -> PageTables? { try outcome.withLock { try $0?.get() } }
  }
#endif
