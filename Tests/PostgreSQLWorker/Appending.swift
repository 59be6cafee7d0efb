import LedgerModel
import LedgerPostgreSQLTestSupport
import LedgerSystem
import LedgerTestSupport
import PromiseLedgerPostgreSQL
import Synchronization

/// Appends batches of events until standard input ends, and prints what becomes of each commit, as `CommitAudit`
/// reads it.
struct Appending {
  private let place: PostgreSQLLedger
  private let session: UInt64
  private let maximumCount: Int

  init(_ place: PostgreSQLLedger, session: UInt64, maximumCount: Int) {
    (self.place, self.session, self.maximumCount) = (place, session, maximumCount)
  }

  private final class Input: Sendable {
    let hasEnded = Atomic<Bool>(false)
  }

  func run() throws {
    let input = Input()
    _ = try SystemThread.start(name: "input") {
      while readLine() != nil {}
      input.hasEnded.store(true, ordering: .releasing)
    }
    guard let writer = try open(input) else { return }
    var generator = SeededGenerator(seed: session)
    do {
      while !input.hasEnded.load(ordering: .acquiring) {
        try append(Int.random(in: 1...maximumCount, using: &generator), by: writer)
      }
    } catch let error as LedgerError where error.code == .historyChanged {
      // `CommitAudit` reads no such line, so it is reported.
      WholeLine.print("\(error.code)")
    }
  }

  /// Opens the ledger, also while its server is away.
  private func open(_ input: Input) throws -> PostgreSQLWriter? {
    let session = SessionID(entityID: EntityID(high: 0x901, low: session))
    while !input.hasEnded.load(ordering: .acquiring) {
      do {
        return try PostgreSQLWriter(place, session: session)
      } catch let error as LedgerError where Self.meansNothingWritten(error) {}
    }
    return nil
  }

  /// Appends in a turn of its own, and gives up if nothing was written.
  private func append(_ count: Int, by writer: PostgreSQLWriter) throws {
    guard var base = try begin(writer) else { return }
    defer { writer.store.endCommit() }
    while let head = try attempt(count, after: base, by: writer) { base = head }
  }

  /// - Returns: The head; `nil` if the server could not be reached, or there was no turn.
  private func begin(_ writer: PostgreSQLWriter) throws -> Position? {
    do throws(LedgerError) {
      return try writer.store.beginCommit(Patience(.seconds(30))).head
    } catch {
      guard Self.meansNothingWritten(error) else { throw error }
      return nil
    }
  }

  /// - Returns: The head after which to try again.
  private func attempt(
    _ count: Int, after base: Position, by writer: PostgreSQLWriter
  ) throws -> Position? {
    let number = writer.nextNumber
    WholeLine.print("tries \(number) \(count)")
    do throws(LedgerError) {
      switch try writer.tryToAppend(count, after: base) {
      case .appended(let end):
        WholeLine.print("acknowledged \(number) \(end.rawValue)")
        return nil
      case .headMoved(let head):
        WholeLine.print("refused \(number)")
        return head
      }
    } catch {
      if error.code == .commitOutcomeUnknown {
        WholeLine.print("unknown \(number)")
      } else if Self.meansNothingWritten(error) {
        WholeLine.print("refused \(number)")
      } else {
        throw error
      }
      return nil
    }
  }

  private static func meansNothingWritten(_ error: LedgerError) -> Bool {
    [.unavailable, .writerStalled].contains(error.code)
  }
}
