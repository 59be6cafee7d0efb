/// The kind of an event: a stable number with a stable name.
///
/// A ledger may contain kinds that this build does not know; they have a number but no name.
public struct EventKind: Sendable, Hashable, RawRepresentable {
  /// The number in the file.
  public let rawValue: UInt16

  /// Creates a kind from its number, known or not.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The ledger was created.
  public static let ledgerCreated = EventKind(rawValue: 1)

  /// A process opened the ledger.
  public static let sessionOpened = EventKind(rawValue: 16)
  /// A session released every lock and file.
  public static let sessionFrozen = EventKind(rawValue: 17)
  /// A session came back from its freeze.
  public static let sessionUnfrozen = EventKind(rawValue: 18)
  /// A session ended, or was found dead.
  public static let sessionClosed = EventKind(rawValue: 19)

  /// A promise was created.
  public static let promiseCreated = EventKind(rawValue: 32)
  /// A promise was resolved.
  public static let promiseResolved = EventKind(rawValue: 33)
  /// An outcome was delivered to the app.
  public static let promiseConsumed = EventKind(rawValue: 34)
  /// A promise was abandoned permanently.
  public static let promiseAbandoned = EventKind(rawValue: 35)
  /// An attempt to run the code of a work promise began.
  public static let workStarted = EventKind(rawValue: 36)
  /// An attempt ended without settling its promise.
  public static let workReleased = EventKind(rawValue: 37)
  /// A step of work ended, and its result is kept.
  public static let workStepFinished = EventKind(rawValue: 38)
  /// The cancellation of work whose code has started was requested.
  public static let workCancelRequested = EventKind(rawValue: 39)
  /// An operator changed the trigger, the options or the arguments of work, or parked or resumed it.
  public static let workAmended = EventKind(rawValue: 40)

  /// A handler was created.
  public static let handlerCreated = EventKind(rawValue: 48)
  /// A handler's bound arguments changed.
  public static let handlerRebound = EventKind(rawValue: 49)
  /// A run of a handler began.
  public static let handlerCallStarted = EventKind(rawValue: 50)
  /// A run of a handler was released unfinished.
  public static let handlerCallReleased = EventKind(rawValue: 51)
  /// A run of a handler ended.
  public static let handlerCallFinished = EventKind(rawValue: 52)
  /// A handler was invalidated permanently.
  public static let handlerInvalidated = EventKind(rawValue: 53)
  /// A handler's invalidation code ended.
  public static let handlerInvalidationFinished = EventKind(rawValue: 54)

  /// Old events were folded into the snapshot.
  public static let snapshotTaken = EventKind(rawValue: 64)
  /// Records of closed entities were removed.
  public static let retentionApplied = EventKind(rawValue: 65)
  /// Folded events were deleted. In archives and texts it is named `eventsCompacted`.
  public static let eventsDeleted = EventKind(rawValue: 66)
}

extension EventKind: CustomStringConvertible {
  /// The name, or `unknown(NUMBER)`.
  public var description: String { name ?? "unknown(\(rawValue))" }
}
