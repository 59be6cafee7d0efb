/// The figures of a run.
package struct PowerLossReport: Sendable {
  /// A state that must not be.
  package struct Failure: Sendable, CustomStringConvertible {
    package let state: Int
    package let cut: Int
    let ledger: String
    let answer: String

    package var description: String {
      "state \(state), cut before operation \(cut), \(ledger): \(answer)"
    }
  }

  /// How many recordings there were, of how many operations.
  private var recordingCount = 0
  private var operationCount = 0
  /// How many states were looked at, by phases; no two of them are equal.
  package var stateCounts: [String: Int] = [:]
  /// How many ledgers gave which answer.
  package var answers: [String: Int] = [:]
  package var failures: [Failure] = []

  package init() {}

  init(_ recording: PowerRecording) {
    recordingCount = 1
    operationCount = recording.operationCount
  }

  package var stateCount: Int { stateCounts.values.reduce(0, +) }

  package mutating func add(_ other: PowerLossReport) {
    recordingCount += other.recordingCount
    operationCount += other.operationCount
    addStates(of: other)
  }

  mutating func addStates(of other: PowerLossReport) {
    stateCounts.merge(other.stateCounts, uniquingKeysWith: +)
    answers.merge(other.answers, uniquingKeysWith: +)
    failures += other.failures
  }

  /// The figures for people.
  package var line: String {
    let phases = stateCounts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    let answered = answers.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return
      "power loss: \(stateCount) states of \(recordingCount) recordings with \(operationCount) operations (\(phases.joined(separator: ", "))), answers: \(answered.joined(separator: ", ")); \(answers["lost", default: 0]) losses, \(failures.count) violations"
  }
}
