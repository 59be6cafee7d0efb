/// The meaning of the words of a ledger's wake file, the same in every process.
package enum SharedWordLayout {
  /// The number of rings of the doorbell, wrapping around; sleepers sleep on it.
  static let ringCount = 0
  /// Not 0 if threads may sleep on the ring count: the mark of a doorbell if only its own thread
  /// does, otherwise 1.
  package static let someoneSleeps = 1
  /// 1 if a writer may wait at the gate.
  package static let writersWait = 2
  /// Counts hand-overs and interruptions of the gate, wrapping around; waiting writers sleep on it.
  static let gateTurn = 3
  /// The process id of the gate's holder, or 0.
  static let gateHolder = 4
  /// The number of passes through the gate, wrapping around; a process that handed over sleeps on
  /// it.
  static let gatePasses = 5
  /// 1 if a process that handed the gate over may sleep until another has passed.
  static let someoneStaysAway = 6
  /// The first word that this module leaves alone.
  package static let firstFree = 16
}
