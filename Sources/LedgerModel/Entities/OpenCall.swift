/// The code that a call runs.
@nonexhaustive public enum HandlerCallPurpose: UInt8, Sendable, Hashable {
  /// The code of the handler.
  case call = 0
  /// The handler's invalidation code.
  case invalidation = 1
}

/// An unfinished call of a handler, or an unfinished run of its invalidation code.
package struct OpenCall: Sendable, Hashable {
  /// The release of the newest attempt, with the reason.
  package struct Release: Sendable, Hashable {
    package let reason: HandlerCallReleased.Reason
    package let fact: LedgerEvent.Trace
  }

  package let id: CallID
  package let purpose: HandlerCallPurpose
  /// The start of the first attempt.
  package let firstStart: LedgerEvent.Trace
  /// The arguments of the call; every attempt uses those of the first one.
  package let arguments: ArgumentsReference
  /// The promises and handlers in the arguments.
  package let references: HandlerReferences
  /// The arguments that were bound when the first attempt started; a later rebinding does not change them.
  package let bound: BoundArguments
  /// The newest attempt, from 1.
  package private(set) var attempt: UInt32
  /// The start of the newest attempt.
  package private(set) var newestStart: LedgerEvent.Trace
  /// The release of the newest attempt; `nil` while it runs.
  package private(set) var release: Release?

  /// Whether the call is not running, so that the next attempt may start.
  package var isReleased: Bool { release != nil }

  /// The session that is running the call; `nil` if the call was released.
  package var runningSession: SessionID? { isReleased ? nil : newestStart.session }

  /// Whether a session may start the attempt after the newest one.
  ///
  /// A run belongs to the session that started it: only this session knows whether the run has stopped.
  func mayBeTaken(by session: SessionID) -> Bool {
    isReleased || runningSession == session
  }

  mutating func begin(attempt: UInt32, _ start: LedgerEvent.Trace) {
    self.attempt = attempt
    newestStart = start
    release = nil
  }

  mutating func giveBack(_ reason: HandlerCallReleased.Reason, _ fact: LedgerEvent.Trace) {
    release = Release(reason: reason, fact: fact)
  }
}

/// The arguments that are bound to a handler, with the event that bound them.
package struct BoundArguments: Sendable, Hashable {
  package let arguments: ArgumentsReference
  package let references: HandlerReferences
  /// The position of the creation, or of the newest rebinding.
  package let position: Position
}

/// The place of a value that an event carries.
package enum StoredReference<Value: Sendable & Hashable>: Sendable, Hashable {
  case inline(Value)
  /// The value is stored beside the event at a position.
  case attached(Position, byteCount: Int)
}

/// The place of arguments.
package typealias ArgumentsReference = StoredReference<StoredArguments>

/// The place of the report of a finished call.
package typealias ReportReference = StoredReference<HandlerCallFinished.Report>

/// A call together with its handler.
package struct StartedCall: Sendable, Hashable {
  package let entity: HandlerEntity
  package let call: OpenCall

  package init(entity: HandlerEntity, call: OpenCall) {
    self.entity = entity
    self.call = call
  }

  /// The call with its handler, which has no other open calls: an answer that shared them all would have them
  /// copied when the next one of many concurrent calls begins or ends.
  var alone: StartedCall { StartedCall(entity: entity.keepingOnly(call), call: call) }
}
