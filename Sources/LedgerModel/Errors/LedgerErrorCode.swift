extension LedgerError {
  /// A class of problems. More may come, so a `switch` over codes needs a `default`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Wrapped: String {
      case alreadyConsumed, alreadyExists, argumentMismatch, argumentMissing, callEnded, closed
      case commitOutcomeUnknown, compacted, compactionBusy, conflict, corrupt
      case decodingFailed, diskFull, encodingFailed, eventsCompacted, forkedProcess, frozen
      case handlerFinished, handlerInvalidated, handlerKindTaken, handlerNotFound
      case handlerRecursion, handlerRunning, handlerUnregistered, historyChanged
      case incompatibleFormat, instanceNotFound
      case internalInconsistency, invalidArgument, ioFailure, ledgerFull, networkFileSystem
      case notALedger, notDurable, notFound, payloadTooLarge, permissionDenied, promiseAbandoned
      case requiredEffectRefused, roleMayNotConsume, sealed, sessionEnded, superseded
      case tooManyCommands, tooManyReaders, typeMismatch, unavailable, unsupportedEvent
      case writerStalled
    }

    private let wrapped: Wrapped

    private init(_ wrapped: Wrapped) { self.wrapped = wrapped }

    /// The name of the code.
    public var description: String { wrapped.rawValue }

    /// Another session consumed the promise, and a promise is consumed once.
    public static let alreadyConsumed = Code(.alreadyConsumed)
    /// Something is where a new ledger shall be made.
    public static let alreadyExists = Code(.alreadyExists)
    /// An argument of a handler has another type than its parameter; the message names both.
    public static let argumentMismatch = Code(.argumentMismatch)
    /// A mandatory argument of a handler is neither bound nor given.
    public static let argumentMissing = Code(.argumentMissing)
    /// The code of the call returned before; effects belong into it.
    public static let callEnded = Code(.callEnded)
    /// The ledger was closed; open it again.
    public static let closed = Code(.closed)
    /// The disk failed while a commit was made durable, and the ledger could not be read again to
    /// see whether it is there. Look for its effect before you repeat it.
    public static let commitOutcomeUnknown = Code(.commitOutcomeUnknown)
    /// The promise or handler has a key, was closed, and its record was removed after the time that
    /// records are kept. It cannot come back.
    public static let compacted = Code(.compacted)
    /// Another process, or another call in this one, is compacting the ledger.
    public static let compactionBusy = Code(.compactionBusy)
    /// A promise with this key is there and was created by another request.
    public static let conflict = Code(.conflict)
    /// Bytes of the ledger are damaged; the message says where.
    public static let corrupt = Code(.corrupt)
    /// A payload is not a value of the type asked for.
    public static let decodingFailed = Code(.decodingFailed)
    /// The disk is full; free some space and try again. Nothing is lost.
    public static let diskFull = Code(.diskFull)
    /// A value or an error could not be encoded.
    public static let encodingFailed = Code(.encodingFailed)
    /// Events after the position asked for were deleted by compaction;
    /// ``LedgerError/compactedThrough`` is the position to go on from.
    public static let eventsCompacted = Code(.eventsCompacted)
    /// This process is a fork of the one that opened the ledger; open it again here.
    public static let forkedProcess = Code(.forkedProcess)
    /// The ledger is frozen, and the call was told not to wait.
    public static let frozen = Code(.frozen)
    /// The one-shot handler was called, and its call ended.
    public static let handlerFinished = Code(.handlerFinished)
    /// The handler was withdrawn for ever.
    public static let handlerInvalidated = Code(.handlerInvalidated)
    /// Two handler types claim one name of a kind, or a kind its own name as a former one.
    public static let handlerKindTaken = Code(.handlerKindTaken)
    /// There is no handler with this id.
    public static let handlerNotFound = Code(.handlerNotFound)
    /// A handler's code called the handler itself, at once or by way of others, or called others to a
    /// depth of 64.
    public static let handlerRecursion = Code(.handlerRecursion)
    /// A call of the one-shot handler is not finished: it runs, or waits to be run again.
    public static let handlerRunning = Code(.handlerRunning)
    /// The handler's kind is not in the registry that the ledger was opened with.
    public static let handlerUnregistered = Code(.handlerUnregistered)
    /// The ledger holds other events than this session has read, because it was replaced, such as by an
    /// older copy that was then written to. Nothing was written and the session has ended: open the
    /// ledger again, and look up what you hold of it anew.
    public static let historyChanged = Code(.historyChanged)
    /// The ledger was written by a newer version of this library; update.
    public static let incompatibleFormat = Code(.incompatibleFormat)
    /// The context of an instance handler does not find the instance.
    public static let instanceNotFound = Code(.instanceNotFound)
    /// A check inside the library failed: a bug. The operation was not made.
    public static let internalInconsistency = Code(.internalInconsistency)
    /// An argument is out of its bounds.
    public static let invalidArgument = Code(.invalidArgument)
    /// The system refused to read or write; the cause says why.
    public static let ioFailure = Code(.ioFailure)
    /// The ledger reached its configured size limit; raise it or compact. Nothing is lost.
    public static let ledgerFull = Code(.ledgerFull)
    /// The directory is on a network file system, where locks and maps do not work.
    public static let networkFileSystem = Code(.networkFileSystem)
    /// The path is not a ledger, and shows no sign of having been one: what is damaged is `corrupt`.
    public static let notALedger = Code(.notALedger)
    /// The store cannot promise the durability that its configuration requires. Nothing was written: mend
    /// what the message names, or require less. That of a ledger in a directory never says so.
    public static let notDurable = Code(.notDurable)
    /// There is no promise with this id, no archive at this path, or no directory to make the ledger in.
    public static let notFound = Code(.notFound)
    /// A payload is larger than the configured limit.
    public static let payloadTooLarge = Code(.payloadTooLarge)
    /// The system denies access to the ledger's files.
    public static let permissionDenied = Code(.permissionDenied)
    /// The promise was given up; it will never have an outcome.
    public static let promiseAbandoned = Code(.promiseAbandoned)
    /// An effect that a call required was refused, so the call failed without any effect.
    public static let requiredEffectRefused = Code(.requiredEffectRefused)
    /// Only a session of the role `app` may consume.
    public static let roleMayNotConsume = Code(.roleMayNotConsume)
    /// The ledger moved to a new generation of its files; open it again.
    public static let sealed = Code(.sealed)
    /// Another process found this session dead and ended it; open the ledger again.
    public static let sessionEnded = Code(.sessionEnded)
    /// Another attempt of the call began meanwhile, or the handler was withdrawn while it did not
    /// run, so the end of this attempt counts for nothing.
    public static let superseded = Code(.superseded)
    /// As many commands wait for the writer as the configuration allows; await some answers first.
    public static let tooManyCommands = Code(.tooManyCommands)
    /// All slots for readers are taken by live sessions and inspections. Close some of them; for more
    /// slots, see ``LedgerConfiguration/maximumReaderCount``.
    public static let tooManyReaders = Code(.tooManyReaders)
    /// A value has another type than the promise.
    public static let typeMismatch = Code(.typeMismatch)
    /// The store cannot be reached. Nothing was written and the session goes on: try again. A ledger in a
    /// directory can always be reached.
    public static let unavailable = Code(.unavailable)
    /// The subject has an event, or a record in the snapshot, of a kind or version that this build does not
    /// know; update.
    public static let unsupportedEvent = Code(.unsupportedEvent)
    /// Another process holds the writer's gate and does not go on; the message names it.
    public static let writerStalled = Code(.writerStalled)
  }
}
