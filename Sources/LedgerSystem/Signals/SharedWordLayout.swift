/// What the words of a ledger's wake file are for, the same in every process.
package enum SharedWordLayout {
  /// How often the doorbell rang, wrapping around; sleepers sleep on it.
  static let ringCount = 0
  /// 1 if somebody may sleep on the ring count.
  static let someoneSleeps = 1
  /// 1 if a writer may wait at the gate.
  package static let writersWait = 2
  /// Counts hand-overs and interruptions of the gate, wrapping around; waiting writers sleep on it.
  static let gateTurn = 3
  /// The process id of the gate's holder, or 0.
  static let gateHolder = 4
  /// How often anyone passed the gate, wrapping around; who handed it over sleeps on it.
  static let gatePasses = 5
  /// 1 if somebody who handed the gate over may sleep until another has passed.
  static let someoneStaysAway = 6
  /// The first word that this module leaves alone.
  package static let firstFree = 16
}
