import PromiseLedger
import Synchronization

/// What the code of a journey tells while it runs.
protocol JourneyDiary: Sendable {
  /// The body of a step runs.
  func began(_ stage: Int, of journey: PromiseID)
  /// A step has returned, so its result is kept.
  func kept(_ stage: Int, of journey: PromiseID)
}

/// Work with steps whose results have all sizes, and then a stay: some go on at once, some after a short time,
/// and some only after a long one.
struct Journey: LedgerWork {
  static let kind = "journey"
  static let stageCount = 4
  static let shortStay = Duration.seconds(3_600)
  static let longStay = Duration.seconds(86_400)

  var number: Int

  func run(in call: WorkCall<any JourneyDiary>) async throws -> Int {
    let (diary, journey, number) = (call.context, call.promise, number)
    for stage in 0..<Self.stageCount {
      let value = Self.value(number, stage)
      let kept = try await call.step("stage", key: "\(stage)") { step in
        diary.began(stage, of: journey)
        _ = try step.createPromise(of: Int.self, label: "made in stage \(stage) of \(number)")
        return value
      }
      guard kept == value else { throw Permanent(LostStage()) }
      diary.kept(stage, of: journey)
    }
    switch number % 3 {
    case 0: break
    case 1: try await call.sleep(for: Self.shortStay)
    default: try await call.sleep(for: Self.longStay)
    }
    return number
  }

  private static func value(_ number: Int, _ stage: Int) -> [UInt8] {
    let sizes = [10, 500, 2_000, 9_000]
    return [UInt8](
      repeating: UInt8(truncatingIfNeeded: number), count: sizes[(number + stage) % sizes.count])
  }
}

private struct LostStage: Error {}

/// Tells what must be there after a power cut.
struct TellingDiary: JourneyDiary {
  let ledger: String

  func began(_ stage: Int, of journey: PromiseID) {}

  func kept(_ stage: Int, of journey: PromiseID) {
    // Stages follow each other, so so many are kept.
    Output.line("did \(ledger) \(EventKind.workStepFinished) \(journey) \(stage + 1)")
  }
}

/// Remembers what ran again after a power cut.
final class RememberingDiary: JourneyDiary {
  private let begun = Mutex<[(stage: Int, journey: PromiseID)]>([])

  var all: [(stage: Int, journey: PromiseID)] { begun.withLock { $0 } }

  func began(_ stage: Int, of journey: PromiseID) {
    begun.withLock { $0.append((stage, journey)) }
  }

  func kept(_ stage: Int, of journey: PromiseID) {}
}
