/// What the processes had been told about a ledger at some moment, and so must be there for ever.
struct Acknowledgement: Hashable, Sendable {
  /// The last event that a session had seen.
  var head: UInt64?
  /// How many answers told of an event.
  var answerCount = 0

  var isEmpty: Bool { head == nil && answerCount == 0 }
}

/// What the processes say between their operations.
///
/// - `phase NAME`: a part of the work begins.
/// - `head LEDGER POSITION`: a session has seen all events up to a position.
/// - `did LEDGER KIND SUBJECT COUNT`: an answer told that there are so many events of a kind about a subject.
enum SaidLine {
  case phase(String)
  case head(ledger: String, position: UInt64)
  case did(ledger: String)
  case other

  init(_ line: String) {
    let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
    switch words.first {
    case "phase" where words.count == 2: self = .phase(words[1])
    case "head" where words.count == 3:
      self = UInt64(words[2]).map { .head(ledger: words[1], position: $0) } ?? .other
    case "did" where words.count == 5: self = .did(ledger: words[1])
    default: self = .other
    }
  }
}
