extension LedgerError {
  /// A class of problems. New codes may be added, so a `switch` over codes needs a `default`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Wrapped: String {
      case alreadyConsumed, alreadyExists, argumentMismatch, argumentMissing, callEnded, closed
      case commitOutcomeUnknown, compactionBusy, conflict, corrupt
      case decodingFailed, diskFull, encodingFailed, eventsDeleted, forkedProcess, frozen
      case handlerFinished, handlerInvalidated, handlerKindTaken, handlerNotFound
      case handlerRecursion, handlerRunning, handlerUnregistered, historyChanged
      case incompatibleFormat, instanceNotFound
      case internalInconsistency, invalidArgument, ioFailure, ledgerFull, networkFileSystem
      case notALedger, notDurable, notFound, payloadTooLarge, permissionDenied, promiseAbandoned
      case promiseIsComputed
      case recordRemoved, requiredEffectRefused, roleMayNotConsume, sealed, sessionEnded, superseded
      case tooManyCommands, tooManyQueued, tooManyReaders, typeMismatch, unavailable
      case unsupportedEvent
      case writerStalled
    }

    private let wrapped: Wrapped

    private init(_ wrapped: Wrapped) { self.wrapped = wrapped }

    /// The name of the code.
    public var description: String { wrapped.rawValue }

    /// The promise was consumed before, by another session or, if the call takes a closure, by this one. A
    /// promise can be consumed only once.
    public static let alreadyConsumed = Code(.alreadyConsumed)
    /// Something already has the path or name of a new ledger, backup or recording, or the file of an archive holds
    /// other events.
    public static let alreadyExists = Code(.alreadyExists)
    /// The type of a handler's argument differs from that of its parameter; the message names both.
    public static let argumentMismatch = Code(.argumentMismatch)
    /// A mandatory argument of a handler is neither bound nor passed.
    public static let argumentMissing = Code(.argumentMissing)
    /// The code of the call has already returned. Add effects before it returns.
    public static let callEnded = Code(.callEnded)
    /// The ledger is closed; open it again.
    public static let closed = Code(.closed)
    /// The disk failed while a commit was being made durable, and the ledger could not be read
    /// again to check for the commit.
    ///
    /// Look for its effect before you repeat the operation.
    public static let commitOutcomeUnknown = Code(.commitOutcomeUnknown)
    /// The ledger is being compacted by another process, or by another call in this process.
    public static let compactionBusy = Code(.compactionBusy)
    /// A promise with this key exists and was created by another request.
    public static let conflict = Code(.conflict)
    /// The ledger's bytes are damaged; the message says where.
    public static let corrupt = Code(.corrupt)
    /// A payload cannot be decoded as a value of the requested type.
    public static let decodingFailed = Code(.decodingFailed)
    /// The disk is full; free some space and try again. Nothing is lost.
    public static let diskFull = Code(.diskFull)
    /// A value or an error could not be encoded.
    public static let encodingFailed = Code(.encodingFailed)
    /// Events after the requested position were deleted by compaction; continue from
    /// ``LedgerError/eventsDeletedThrough``.
    public static let eventsDeleted = Code(.eventsDeleted)
    /// This process is a fork of the one that opened the ledger. Run a program (`exec`) that opens the ledger
    /// anew.
    public static let forkedProcess = Code(.forkedProcess)
    /// The ledger is frozen, and the call was asked not to wait.
    public static let frozen = Code(.frozen)
    /// The one-shot handler was already called, and its call ended.
    public static let handlerFinished = Code(.handlerFinished)
    /// The handler was invalidated permanently.
    public static let handlerInvalidated = Code(.handlerInvalidated)
    /// Two handler types claim the same kind name, or a kind lists its own name among its former names.
    public static let handlerKindTaken = Code(.handlerKindTaken)
    /// No handler with this id exists.
    public static let handlerNotFound = Code(.handlerNotFound)
    /// A handler's code called the handler itself, directly or through others, or nested calls of other
    /// handlers 64 levels deep.
    public static let handlerRecursion = Code(.handlerRecursion)
    /// A call of the one-shot handler is unfinished: it is running, or waits to be run again.
    public static let handlerRunning = Code(.handlerRunning)
    /// The handler's kind is not in the registry that the ledger was opened with.
    public static let handlerUnregistered = Code(.handlerUnregistered)
    /// The ledger was replaced, for example by an older copy, and holds other events than those
    /// that this session has read.
    ///
    /// Nothing was written and the session has ended: open the ledger again, and look up anew every
    /// entity that you hold.
    public static let historyChanged = Code(.historyChanged)
    /// The ledger was written by a newer version of this library; update the library.
    public static let incompatibleFormat = Code(.incompatibleFormat)
    /// The context of an instance handler cannot find the instance.
    public static let instanceNotFound = Code(.instanceNotFound)
    /// A check inside the library failed, which indicates a bug. The operation was not performed.
    public static let internalInconsistency = Code(.internalInconsistency)
    /// An argument is out of bounds.
    public static let invalidArgument = Code(.invalidArgument)
    /// The system failed to read or write; the cause says why.
    public static let ioFailure = Code(.ioFailure)
    /// The ledger reached its configured size limit; raise the limit or compact the ledger. Nothing is lost.
    public static let ledgerFull = Code(.ledgerFull)
    /// The directory is on a network file system, where locks and maps do not work.
    public static let networkFileSystem = Code(.networkFileSystem)
    /// The path is not a ledger and shows no sign of ever having been one. A damaged ledger reports `corrupt`
    /// instead.
    public static let notALedger = Code(.notALedger)
    /// The store cannot guarantee the durability that its configuration requires.
    ///
    /// Nothing was written: fix the problem that the message names, or require less. A ledger in a
    /// directory never throws this error.
    public static let notDurable = Code(.notDurable)
    /// The promise, the archive or the directory for the new ledger does not exist.
    public static let notFound = Code(.notFound)
    /// A payload is larger than the configured limit.
    public static let payloadTooLarge = Code(.payloadTooLarge)
    /// The system denied access to the ledger's files.
    public static let permissionDenied = Code(.permissionDenied)
    /// The promise was abandoned; it will never have an outcome.
    public static let promiseAbandoned = Code(.promiseAbandoned)
    /// Code settles the promise, so it cannot be resolved from outside. Cancel its work, or wait for the code.
    public static let promiseIsComputed = Code(.promiseIsComputed)
    /// The promise or handler has a key, was closed, and its record was removed after the retention time. It
    /// cannot be recreated.
    public static let recordRemoved = Code(.recordRemoved)
    /// An effect that a call required was refused, so the call failed and none of its effects took place.
    public static let requiredEffectRefused = Code(.requiredEffectRefused)
    /// Only a session of the role `app` may consume.
    public static let roleMayNotConsume = Code(.roleMayNotConsume)
    /// The ledger has moved to a new generation of its files, and this session could not follow; open it again.
    public static let sealed = Code(.sealed)
    /// Another process considered this session dead and ended it; open the ledger again.
    public static let sessionEnded = Code(.sessionEnded)
    /// Another attempt of the call began in the meantime, or the handler was withdrawn while the
    /// call was not running.
    ///
    /// The end and the effects of this attempt are discarded.
    public static let superseded = Code(.superseded)
    /// The number of commands that wait for the writer has reached the configured limit; await some answers
    /// first.
    public static let tooManyCommands = Code(.tooManyCommands)
    /// As much work waits for a runner as the session allows; start more later. See
    /// ``LedgerConfiguration/maximumQueuedWorkCount``.
    public static let tooManyQueued = Code(.tooManyQueued)
    /// All reader slots are taken by live sessions and inspections. Close some of them; for more slots, see
    /// `LedgerConfiguration.maximumReaderCount`.
    public static let tooManyReaders = Code(.tooManyReaders)
    /// The type of a value differs from the type of the promise.
    public static let typeMismatch = Code(.typeMismatch)
    /// The store cannot be reached. Nothing was written and the session continues: try again. A ledger in a
    /// directory can always be reached.
    public static let unavailable = Code(.unavailable)
    /// The subject has an event, or a record in the snapshot, of a kind or version that this build does not
    /// know; update the library.
    public static let unsupportedEvent = Code(.unsupportedEvent)
    /// Another process holds the writer's gate and makes no progress; the message names it.
    public static let writerStalled = Code(.writerStalled)
  }
}
