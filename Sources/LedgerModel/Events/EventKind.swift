/// What an event tells; a stable number with a stable name.
///
/// A ledger may hold kinds that this build does not know; they have a number and no name.
public struct EventKind: Sendable, Hashable, RawRepresentable {
  /// The number in the file.
  public let rawValue: UInt16

  /// Makes a kind of its number, known or not.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The ledger was created.
  public static let ledgerCreated = EventKind(rawValue: 1)

  /// A process opened the ledger.
  public static let sessionOpened = EventKind(rawValue: 16)
  /// A session let go of every lock and file.
  public static let sessionFrozen = EventKind(rawValue: 17)
  /// A session came back.
  public static let sessionUnfrozen = EventKind(rawValue: 18)
  /// A session ended, or was found dead.
  public static let sessionClosed = EventKind(rawValue: 19)

  /// A promise came into being, pending.
  public static let promiseCreated = EventKind(rawValue: 32)
  /// A promise got its outcome.
  public static let promiseResolved = EventKind(rawValue: 33)
  /// An outcome was delivered to the app.
  public static let promiseConsumed = EventKind(rawValue: 34)
  /// A promise was given up for ever.
  public static let promiseAbandoned = EventKind(rawValue: 35)

  /// A handler came into being.
  public static let handlerCreated = EventKind(rawValue: 48)
  /// A handler's bound arguments changed.
  public static let handlerRebound = EventKind(rawValue: 49)
  /// A run of a handler began.
  public static let handlerCallStarted = EventKind(rawValue: 50)
  /// A run of a handler was given back unfinished.
  public static let handlerCallReleased = EventKind(rawValue: 51)
  /// A run of a handler ended.
  public static let handlerCallFinished = EventKind(rawValue: 52)
  /// A handler was withdrawn for ever.
  public static let handlerInvalidated = EventKind(rawValue: 53)
  /// A handler's invalidation code ended.
  public static let handlerInvalidationFinished = EventKind(rawValue: 54)

  /// Old events were folded into the snapshot.
  public static let snapshotTaken = EventKind(rawValue: 64)
  /// Old records were removed.
  public static let retentionApplied = EventKind(rawValue: 65)
  /// Folded events were deleted.
  public static let eventsCompacted = EventKind(rawValue: 66)
}

extension EventKind: CustomStringConvertible {
  /// The name, or `unknown(NUMBER)`.
  public var description: String { name ?? "unknown(\(rawValue))" }
}
