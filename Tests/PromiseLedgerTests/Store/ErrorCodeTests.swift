import LedgerSystem
import Testing

@testable import LedgerLMDB
@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// The meaning of lower-level failures for a ledger, as a table.
@Suite(.timeLimit(.minutes(10)))
struct ErrorCodeTests {
  typealias Code = LedgerError.Code

  @Test(arguments: [
    (LMDBStatus.mapFull, Code.ledgerFull),
    (.readersFull, .tooManyReaders),
    // Damage: every ledger has these tables, and its events are only added at the end.
    (.corrupted, .corrupt), (.pageNotFound, .corrupt), (.cursorFull, .corrupt),
    (.pageFull, .corrupt), (.invalid, .corrupt), (.incompatible, .corrupt),
    (.notFound, .corrupt), (.keyExists, .corrupt), (.badValueSize, .corrupt),
    // The CURRENT file named a missing directory.
    (.system(.notFound), .corrupt), (.system(.notDirectory), .corrupt),
    (.system(.tooManyLinks), .corrupt),
    (.versionMismatch, .incompatibleFormat),
    (.system(.permissionDenied), .permissionDenied), (.system(.notPermitted), .permissionDenied),
    (.system(.readOnlyFileSystem), .permissionDenied),
    (.system(.noSpace), .diskFull), (.system(.fileTooLarge), .diskFull),
    (.system(.quotaExceeded), .diskFull),
    // The system, now: trying again may help.
    (.system(.inputOutput), .ioFailure), (.system(.noMemory), .ioFailure),
    (.system(.tooManyOpenFiles), .ioFailure), (.system(.tooManyFilesInSystem), .ioFailure),
    (.system(.busy), .ioFailure), (.panic, .ioFailure), (.mapResized, .ioFailure),
    (.system(.invalidArgument), .ioFailure), (.system(.wouldBlock), .ioFailure),
    (.system(.exists), .ioFailure),
    // Bugs of ours.
    (.badTransaction, .internalInconsistency), (.transactionFull, .internalInconsistency),
    (.tablesFull, .internalInconsistency), (.badTable, .internalInconsistency),
    (.badReaderSlot, .internalInconsistency),
  ])
  func aStatusOfLMDBHasACode(status: LMDBStatus, code: Code) {
    #expect(LedgerError(LMDBError(status, .get)).code == code)
  }

  @Test(arguments: [
    (LMDBRefusal.closed, Code.closed),
    (.forkedChild, .forkedProcess),
    (.networkFileSystem(type: 0x6969), .networkFileSystem),
    (.truncatedFile(expected: 2, actual: 1), .corrupt),
    (.notAnLMDBFile, .corrupt), (.notARegularFile("data.mdb"), .corrupt), (.noDataFile, .corrupt),
    (.unsupportedPageSize(3), .corrupt), (.implausibleMeta(page: 0, what: "it"), .corrupt),
    (.unsupportedFormatVersion(2), .incompatibleFormat),
    (.diskFull, .diskFull),
    (.processIDClash, .ioFailure), (.optionsMismatch("x"), .ioFailure),
    (.dataFileReplaced, .ioFailure),
    (.nestedWrite, .internalInconsistency), (.insideTransaction, .internalInconsistency),
    (.readOnly, .internalInconsistency), (.badKey("x"), .internalInconsistency),
    (.unknownTable("x"), .internalInconsistency),
  ])
  func aRefusalHasACode(refusal: LMDBRefusal, code: Code) {
    let error = LedgerError(LMDBError(refusal, .openEnvironment))
    #expect(error.code == code)
    #expect(!error.message.isEmpty)
  }

  @Test(arguments: [
    (SystemError.Code.permissionDenied, Code.permissionDenied),
    (.notPermitted, .permissionDenied), (.readOnlyFileSystem, .permissionDenied),
    (.noSpace, .diskFull), (.quotaExceeded, .diskFull), (.fileTooLarge, .diskFull),
    (.notRegularFile, .corrupt),
    (.closed, .closed),
    (.inputOutput, .ioFailure), (.noMemory, .ioFailure), (.tooManyOpenFiles, .ioFailure),
    (.tooManyFilesInSystem, .ioFailure), (.busy, .ioFailure), (.noLocks, .ioFailure),
  ])
  func anErrorOfTheSystemHasACode(system: SystemError.Code, code: Code) {
    #expect(LedgerError(SystemError(system, "open", path: "/x/gate"), "It failed.").code == code)
  }

  @Test(arguments: [
    (SystemError.Code.tooManyOpenFiles, "ulimit -n"), (.noMemory, "ulimit -v"),
    (.notRegularFile, "/x/gate is not a regular file"), (.noSpace, "Free some space"),
  ])
  func theMessageNamesTheRemedy(system: SystemError.Code, remedy: String) {
    let error = LedgerError(SystemError(system, "open", path: "/x/gate"), "It failed.")
    #expect(error.message.contains(remedy), "\(error.message)")
  }

  @Test func aTableOfReadersThatIsFullNamesTheRemedy() {
    let error = LedgerError(LMDBError(.readersFull, .begin))
    #expect(error.message.contains("Close some of them"))
    #expect(error.message.contains("the lock file keeps its size"))
  }
}
