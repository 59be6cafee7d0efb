import Foundation
import LedgerPromises
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import PromiseLedger

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The parts of an error that a ledger preserves.
@Suite(.timeLimit(.minutes(5)))
struct SystemErrorTests {
  private struct ChatError: Error, Codable, Equatable {
    let code: Int
  }

  private struct Refusal: LocalizedError {
    var errorDescription: String? { "Only owners may change the avatar." }
    var failureReason: String? { "You are a member." }
    var recoverySuggestion: String? { "Ask an owner." }
  }

  private struct Unexplained: LocalizedError {
    let host: String
  }

  private struct CodableRefusal: LocalizedError, Codable, Equatable {
    let host: String
    var errorDescription: String? { "\(host) refused." }
  }

  private struct StreamError: CustomNSError {
    static var errorDomain: String { "stream" }
    let errorCode: Int
    var errorUserInfo: [String: Any] {
      [NSLocalizedDescriptionKey: "The stream ended.", NSUnderlyingErrorKey: ChatError(code: 9)]
    }
  }

  private enum Unnamed: CustomNSError {
    case lost
  }

  private enum Numbered: Int, CustomNSError {
    case lost = 7
  }

  private enum Offline: Error {
    case noNetwork
  }

  /// The error in an app that opens the ledger later, and then in another that has it from an
  /// archive.
  private func restored(_ error: any Error) async throws -> StoredError {
    let temporary = try TemporaryLedger()
    let worker = try await temporary.open(as: .appExtension)
    let promise = try await worker.createPromise(of: Int.self)
    try await promise.reject(error)
    await worker.close()
    let app = try await temporary.open(as: .app)
    var bytes: [UInt8] = []
    try await app.export { bytes += $0 }
    let read = try await outcome(of: promise.id, in: app)
    await app.close()
    let archive = try ArchiveFile(bytes)
    try makeLedger(of: archive)
    let copy = try await archive.temporary.open(as: .app)
    #expect(try await outcome(of: promise.id, in: copy) == read)
    await copy.close()
    guard case .rejected(let stored) = read else {
      throw LedgerError(.internalInconsistency, "\(read)")
    }
    return stored
  }

  private func makeLedger(of archive: ArchiveFile) throws {
    _ = try LedgerImport().makeLedger(at: archive.target, from: archive.path)
  }

  private func outcome(of id: PromiseID, in ledger: Ledger) async throws -> PromiseOutcome<Int> {
    try await ledger.promise(id: id, of: Int.self).outcome
  }

  // MARK: Errors of Foundation

  @Test func anNSErrorKeepsDomainCodeTextsAndUnderlyingErrors() async throws {
    let stored = try await restored(
      NSError(
        domain: "chat", code: 403,
        userInfo: [
          NSLocalizedDescriptionKey: "The avatar cannot be changed.",
          NSLocalizedFailureReasonErrorKey: "Only owners may.",
          NSLocalizedRecoverySuggestionErrorKey: "Ask an owner.",
          NSUnderlyingErrorKey: POSIXError(.ECONNRESET),
        ]))
    #expect(stored.domain == "chat")
    #expect(stored.code == 403)
    #expect(stored.message == "The avatar cannot be changed.")
    #expect(stored.failureReason == "Only owners may.")
    #expect(stored.recoverySuggestion == "Ask an owner.")
    #expect(stored.underlyingErrors.map(\.domain) == [NSPOSIXErrorDomain])
    #expect(stored.underlyingErrors.map(\.code) == [Int64(ECONNRESET)])
  }

  @Test func anNSErrorWithoutTextsHasTheOneOfTheSystem() async throws {
    let stored = try await restored(NSError(domain: "chat", code: 403))
    #expect(stored.domain == "chat")
    #expect(stored.code == 403)
    #expect(stored.message == NSError(domain: "chat", code: 403).localizedDescription)
    #expect(stored.payload == nil)
  }

  @Test func errorsOfTheSystemKeepDomainAndCode() async throws {
    let errors: [(any Error, String, Int64)] = [
      (URLError(.notConnectedToInternet), NSURLErrorDomain, -1_009),
      (POSIXError(.ENOENT), NSPOSIXErrorDomain, 2),
      (CocoaError(.fileReadNoSuchFile), NSCocoaErrorDomain, 260),
    ]
    for (error, domain, code) in errors {
      let stored = try await restored(error)
      #expect(stored.domain == domain, "\(error)")
      #expect(stored.code == code, "\(error)")
      #expect(stored.message == error.localizedDescription, "\(error)")
      #expect(stored.failureReason == (error as NSError).localizedFailureReason, "\(error)")
    }
  }

  @Test func theErrorThatAFileIsMissingSaysSo() async throws {
    let error = #expect(throws: CocoaError.self) {
      try Data(contentsOf: URL(fileURLWithPath: "/there/is/no/such/file"))
    }
    let stored = try await restored(try #require(error))
    #expect(stored.domain == NSCocoaErrorDomain)
    #expect(stored.underlyingErrors.map(\.code) == [Int64(ENOENT)])
  }

  @Test func aCustomNSErrorKeepsItsChosenTexts() async throws {
    let stored = try await restored(StreamError(errorCode: 7))
    #expect(stored.domain == "stream")
    #expect(stored.code == 7)
    #expect(stored.message == "The stream ended.")
    let underlying = try #require(stored.underlyingErrors.first)
    #expect(underlying.domain == "ChatError")
    #expect(underlying.stored(as: ChatError.self) == ChatError(code: 9))
  }

  @Test func aDomainThatNoPersonChoseIsNotStored() async throws {
    let stored = try await restored(Unnamed.lost)
    #expect(stored.domain == "Unnamed")
    #expect(stored.code == nil)
    let numbered = try await restored(Numbered.lost)
    #expect(numbered.domain == "Numbered")
    #expect(numbered.code == 7)
  }

  // MARK: Errors of Swift

  @Test func aLocalizedErrorKeepsItsTexts() async throws {
    let stored = try await restored(Refusal())
    #expect(stored.domain == "Refusal")
    #expect(stored.code == nil)
    #expect(stored.message == "Only owners may change the avatar.")
    #expect(stored.failureReason == "You are a member.")
    #expect(stored.recoverySuggestion == "Ask an owner.")
  }

  @Test func aLocalizedErrorWithoutTextsKeepsItsDescription() async throws {
    let stored = try await restored(Unexplained(host: "a.example"))
    #expect(stored.message == #"Unexplained(host: "a.example")"#)
    #expect(stored.payload == nil)
  }

  @Test func aPlainErrorKeepsItsName() async throws {
    let stored = try await restored(Offline.noNetwork)
    #expect(stored == StoredError(domain: "Offline", message: "noNetwork"))
  }

  @Test func aCodableErrorComesBackInOneLine() async throws {
    let stored = try await restored(ChatError(code: 403))
    #expect(stored.domain == "ChatError")
    #expect(stored.code == nil)
    #expect(stored.message == "ChatError(code: 403)")
    #expect(stored.stored(as: ChatError.self) == ChatError(code: 403))
    let failure: any Error = PromiseFailure.rejected(stored)
    #expect(failure.stored(as: ChatError.self) == ChatError(code: 403))
    #expect(failure.stored(as: CodableRefusal.self) == nil)
    // Also where it never was in a ledger.
    let own: any Error = ChatError(code: 1)
    #expect(own.stored(as: ChatError.self) == ChatError(code: 1))
  }

  @Test func aCodableLocalizedErrorKeepsItsMessageAndItself() async throws {
    let stored = try await restored(CodableRefusal(host: "a.example"))
    #expect(stored.message == "a.example refused.")
    #expect(stored.stored(as: CodableRefusal.self) == CodableRefusal(host: "a.example"))
  }

  @Test func errorsOfDecodingAndOfLedgersKeepTheirDescriptions() async throws {
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(ChatError.self, from: Data("{}".utf8))
    }
    let decoding = try #require(error)
    #expect(
      try await restored(decoding)
        == StoredError(domain: "DecodingError", message: String(describing: decoding)))
    let closed = try await restored(
      LedgerError(.closed, "The ledger was closed.", cause: ChatError(code: 9)))
    #expect(closed.domain == "LedgerError")
    #expect(closed.message == "closed: The ledger was closed. (ChatError(code: 9))")
    #expect(closed.underlyingErrors.map(\.domain) == ["ChatError"])
    let race = Promise<Int>.race([Promise<Int>]())
    let lost = try await #require(throws: PromiseError.self) { try await race.value }
    #expect(
      try await restored(lost) == StoredError(domain: "PromiseError", message: lost.message))
  }

  // MARK: Bounds

  @Test func fourUnderlyingErrorsAreKept() async throws {
    var error = NSError(domain: "level 9", code: 9)
    for level in (0..<9).reversed() {
      error = NSError(
        domain: "level \(level)", code: level,
        userInfo: [NSUnderlyingErrorKey: error, NSLocalizedFailureReasonErrorKey: "\(level)"])
    }
    var stored = try await restored(error)
    var domains: [String] = []
    while let next = stored.underlyingErrors.first {
      #expect(next.failureReason == next.code.map { "\($0)" })
      domains.append(next.domain)
      stored = next
    }
    #expect(domains == ["level 1", "level 2", "level 3", "level 4"])
  }

  @Test func anErrorWithVeryMuchToTellKeepsTheMost() async throws {
    let long = String(repeating: "ä", count: 10_000)
    func made(_ depth: Int) -> NSError {
      let below: [any Error] = depth == 0 ? [] : (0..<9).map { _ in made(depth - 1) }
      return NSError(
        domain: "d", code: depth,
        userInfo: [
          NSLocalizedFailureReasonErrorKey: long, NSLocalizedDescriptionKey: "m",
          "NSMultipleUnderlyingErrorsKey": below,
        ])
    }
    let wide = try await restored(made(1))
    #expect(wide.underlyingErrors.count == 4)
    #expect(wide.failureReason?.utf8.count == 2_048)
    let deep = try await restored(made(4))
    #expect(deep.underlyingErrors.isEmpty)
    #expect(deep.failureReason?.utf8.count == 2_048)
    #expect(deep.message == "m")
  }

  /// The bytes that builds of the first version read: the payload is the end of the bytes.
  @Test func theBytesAreThoseOfTheFirstVersion() throws {
    let stored = StoredError(Refusal())
    let bytes = stored.encoded
    #expect(bytes[0] == 2 && bytes[1..<8].allSatisfy { $0 == 0 })
    let payload = #"{"failureReason":"You are a member.","recoverySuggestion":"Ask an owner."}"#
    let tag = "promise-ledger.error-details"
    #expect(stored.payload == StoredError.Payload(typeTag: tag, bytes: Array(payload.utf8)))
    #expect(bytes.suffix(payload.utf8.count) == Array(payload.utf8)[...])
    #expect(try StoredError(decoding: bytes) == stored)
  }

  // MARK: Texts for people

  @Test func failuresShowTheMessageOfTheError() {
    let stored = StoredError(Refusal())
    for error in [stored, PromiseFailure.rejected(stored)] as [any Error] {
      #expect(error.localizedDescription == "Only owners may change the avatar.", "\(error)")
      let localized = error as? any LocalizedError
      #expect(localized?.failureReason == "You are a member.", "\(error)")
      #expect(localized?.recoverySuggestion == "Ask an owner.", "\(error)")
    }
    #expect(PromiseFailure.cancelled(reason: "gone").localizedDescription == "gone")
    #expect(
      PromiseFailure.cancelled(reason: "").localizedDescription == "The promise was cancelled.")
    #expect(PromiseFailure.timedOut.localizedDescription == "The promise timed out.")
    #expect(LedgerError(.closed, "It is closed.").localizedDescription == "It is closed.")
  }

  @Test func errorsThatMeanCancellationSaySoAndStayRejections() async throws {
    let errors: [any Error] = [
      CancellationError(), CocoaError(.userCancelled), URLError(.cancelled),
    ]
    for error in errors {
      #expect(error.isCancellation, "\(error)")
      let stored = try await restored(error)
      #expect(stored.isCancellation, "\(error)")
      #expect((PromiseFailure.rejected(stored) as any Error).isCancellation, "\(error)")
    }
    #expect(PromiseFailure.cancelled(reason: "x").isCancellation)
    for error in [URLError(.timedOut), ChatError(code: 3_072), Offline.noNetwork] as [any Error] {
      #expect(!error.isCancellation, "\(error)")
    }
  }
}
