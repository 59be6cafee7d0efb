import PromiseLedger
import PromiseLedgerTesting
import Synchronization
import Testing

/// The article *Errors* has each code once, with its meaning and a remedy.
@Suite(.timeLimit(.minutes(10)))
final class ErrorsArticleTests: Sendable {
  @Test func everyCodeHasARow() throws {
    let declared = try Article(path: "Sources/LedgerModel/Errors/LedgerErrorCode.swift").lines
      .compactMap { $0.firstMatch(of: /static let (\w+) = Code\(/).map { String($0.1) } }
    #expect(declared.count > 40, "Are the codes still declared there?")
    let article = try Article(path: "Sources/PromiseLedger/PromiseLedger.docc/Errors.md")
    let rows = article.lines.filter { $0.hasPrefix("| `") }.map { row in
      row.split(separator: "|").map { String($0.drop { $0 == " " }) }
    }
    let codes = rows.map { String($0[0].dropFirst().prefix { $0 != "`" }) }
    #expect(codes.sorted() == declared.sorted())
    for row in rows {
      #expect(row.count == 3, "\(row[0]) lacks its meaning or its remedy.")
    }
    let headings = article.lines.filter { $0.hasPrefix("| code |") }
    #expect(Set(headings) == ["| code | meaning | remedy |"])
  }

  // MARK: The code of the article

  private let done = Mutex<[String]>([])

  private func tryAgainLater() { done.withLock { $0.append("later") } }
  private func askForSpace(_ message: String) { done.withLock { $0.append("space") } }
  private func log(_ text: String) { done.withLock { $0.append(text) } }

  @Test func aSwitchOverCodesIsWrittenInThisWay() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open()
    let promise = try await ledger.createPromise(of: Void.self)
    await ledger.close()
    let refusal = StoredError(domain: "chat", code: 403, message: "forbidden")

    do {
      try await promise.reject(refusal)
    } catch let error as LedgerError {
      switch error.code {
      case .writerStalled, .tooManyCommands, .unavailable: tryAgainLater()
      case .ledgerFull, .diskFull: askForSpace(error.message)
      default: log(error.debugDescription)
      }
    }

    #expect(done.withLock { $0.first }?.hasPrefix("LedgerError: closed") == true)
  }
}
