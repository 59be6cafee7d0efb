/// The rules of one object when its requests are carried out one after the other.
///
/// They are written apart from the library, which this target does not import.
package protocol Specification {
  associatedtype Request: Sendable
  associatedtype State: Hashable & Sendable

  /// The state in which every history begins.
  static var initial: State { get }

  /// The ways in which a request may be carried out in a state; none if it has to wait for another state.
  static func ways(of request: Request, in state: State) -> [Way<State>]
}

/// One way to carry out a request.
package struct Way<State: Hashable & Sendable>: Sendable {
  package let answer: String
  package let next: State

  package init(_ answer: String, _ next: State) {
    self.answer = answer
    self.next = next
  }
}
