/// The code that a call runs.
public enum CallPurpose: UInt8, Sendable, Hashable {
  /// The code of the handler.
  case call = 0
  /// The handler's invalidation code.
  case invalidation = 1
}

/// A call of a handler, or a run of its invalidation code, that is not finished.
package struct OpenCall: Sendable, Hashable {
  /// That it does not run any more, and why.
  package struct Release: Sendable, Hashable {
    package let reason: CallRelease
    package let fact: Fact
  }

  package let id: CallID
  package let purpose: CallPurpose
  /// The beginning of the first attempt.
  package let firstStart: Fact
  /// The arguments of the call; those of the first attempt, in every attempt.
  package let arguments: ArgumentsReference
  /// The promises and handlers in the arguments.
  package let references: HandlerReferences
  /// What was bound when the first attempt began; a rebinding later does not change it.
  package let bound: BoundArguments
  /// The newest attempt, from 1.
  package private(set) var attempt: UInt32
  /// The beginning of the newest attempt.
  package private(set) var newestStart: Fact
  /// That the newest attempt was given back; `nil` while it runs.
  package private(set) var release: Release?

  /// Whether it does not run, so that the next attempt may begin.
  package var isReleased: Bool { release != nil }

  /// The session that runs it; `nil` if it was given back.
  package var runningSession: SessionID? { isReleased ? nil : newestStart.session }

  /// Whether a session may begin the attempt after the newest.
  ///
  /// A run belongs to the session that began it, which alone knows that it does not run any more.
  func mayBeTaken(by session: SessionID) -> Bool {
    isReleased || runningSession == session
  }

  mutating func begin(attempt: UInt32, _ start: Fact) {
    self.attempt = attempt
    newestStart = start
    release = nil
  }

  mutating func giveBack(_ reason: CallRelease, _ fact: Fact) {
    release = Release(reason: reason, fact: fact)
  }
}

/// Arguments that are bound to a handler since an event.
package struct BoundArguments: Sendable, Hashable {
  package let arguments: ArgumentsReference
  package let references: HandlerReferences
  /// The creation, or the newest rebinding.
  package let position: Position
}

/// Where something is that an event carries.
package enum StoredReference<Value: Sendable & Hashable>: Sendable, Hashable {
  case inline(Value)
  /// Beside the event at a position.
  case attached(Position, byteCount: Int)
}

/// Where arguments are.
package typealias ArgumentsReference = StoredReference<StoredArguments>

/// Where the report of a finished call is.
package typealias ReportReference = StoredReference<CallReport>

/// A call with the handler that it belongs to.
package struct StartedCall: Sendable, Hashable {
  package let entity: HandlerEntity
  package let call: OpenCall

  package init(entity: HandlerEntity, call: OpenCall) {
    self.entity = entity
    self.call = call
  }
}
