import Foundation
import Synchronization

/// Kills this process, like `kill -9`, when it reaches a point.
final class KillSwitch: Sendable {
  private let point: String
  private let delayInMicroseconds: Int
  private let gateCount = Atomic<Int>(0)
  private let isCodeDone = Atomic<Bool>(false)

  /// - Parameters:
  ///   - point: The name of the point; `delay` is some time after the code of the first handler.
  ///   - delayInMicroseconds: That time.
  init(point: String, delayInMicroseconds: Int) {
    self.point = point
    self.delayInMicroseconds = delayInMicroseconds
  }

  func reached(_ name: String) {
    if name == point { kill(getpid(), SIGKILL) }
  }

  /// The code of the first handler is done: from now on, passes through the gate count.
  func codeDone() {
    reached("code-done")
    isCodeDone.store(true, ordering: .sequentiallyConsistent)
    guard point == "delay" else { return }
    Thread.detachNewThread { [delayInMicroseconds] in
      usleep(UInt32(delayInMicroseconds))
      kill(getpid(), SIGKILL)
    }
  }

  /// The writer passed the gate, for the finish or for a later step.
  func gatePassed() {
    guard isCodeDone.load(ordering: .sequentiallyConsistent) else { return }
    let count = gateCount.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
    reached("gate-\(count)")
  }

  /// The writer is about to commit.
  func committing() {
    guard isCodeDone.load(ordering: .sequentiallyConsistent) else { return }
    reached("commit-\(gateCount.load(ordering: .sequentiallyConsistent))")
  }
}
