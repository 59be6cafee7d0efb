import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// A copy of a history, to be compacted, and the facts that must hold about it.
struct CompactionCopy {
  /// The answers of a ledger about its promises and handlers.
  struct Answers: Equatable {
    let promises: [PromiseRecord?]
    let handlers: [HandlerRecord?]
    let unconsumed: [PromiseID]
    /// Of promises, handlers and tombstones. The sessions of two runs differ.
    let digest: StateDigest
  }

  let temporary: TemporaryLedger
  let archives: String
  private let history: CompactionHistory

  init(_ temporary: TemporaryLedger, of history: CompactionHistory) throws {
    self.temporary = temporary
    self.history = history
    archives = FileSystem.parent(of: temporary.path) + "/archives"
    try FileSystem.createDirectory(archives)
  }

  /// - Parameter sliceEventCount: How many events a step of compaction folds.
  func open(sliceEventCount: Int? = nil) async throws -> Ledger {
    var configuration = try CompactionHistory.configuration()
    configuration.hooks.sliceEventCount = sliceEventCount
    return try await temporary.open(configuration: configuration)
  }

  // MARK: Answers

  func answers(of ledger: Ledger) async throws -> Answers {
    var promises: [PromiseRecord?] = []
    for id in history.promises { promises.append(try await ledger.record(of: id)) }
    var handlers: [HandlerRecord?] = []
    for id in history.handlers { handlers.append(try await ledger.record(of: id)) }
    return Answers(
      promises: promises, handlers: handlers,
      unconsumed: try await ledger.unconsumedPromises().map(\.id),
      digest: try await digest(of: ledger))
  }

  private func digest(of ledger: Ledger) async throws -> StateDigest {
    let ids = history.promises.map(\.entityID) + history.handlers.map(\.entityID)
    return try await ledger.engine.read(fromCopy: true) { state in
      var digest = StateDigest.empty
      for (kind, id) in try state.ids(from: .lowest, through: .highest, limit: .max)
      where kind != .session {
        guard let entity = try state.entity(id, kind) else { continue }
        digest.add(RecordType(kind), id, entity.content)
      }
      for id in ids where try state.isTombstone(id) { digest.addTombstone(id) }
      return digest
    }
  }

  /// Whether every record is unchanged, or was closed and is gone, and then stays so.
  func check(
    _ ledger: Ledger, against before: Answers, _ comment: Comment,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let after = try await answers(of: ledger)
    #expect(after.unconsumed == before.unconsumed, comment, sourceLocation: sourceLocation)
    for (old, new) in zip(before.handlers, after.handlers) where new != old {
      #expect(new == nil && old?.status != .active, comment, sourceLocation: sourceLocation)
    }
    for (old, new) in zip(before.promises, after.promises) where new != old {
      #expect(new == nil && old?.isClosed == true, comment, sourceLocation: sourceLocation)
      guard let old, new == nil else { continue }
      let answer = await Self.lateAnswer(ledger, old.id)
      #expect(
        answer == (old.key == nil ? "not found" : "compacted"), comment,
        sourceLocation: sourceLocation)
    }
  }

  private static func lateAnswer(_ ledger: Ledger, _ id: PromiseID) async -> String {
    do {
      let answer = try await ledger.resolve(id, with: .cancelled(reason: "late"))
      guard case .notFound = answer else { return "\(answer)" }
      return "not found"
    } catch {
      return (error as? LedgerError)?.code == .recordRemoved ? "compacted" : "\(error)"
    }
  }
}

extension PromiseRecord {
  fileprivate var isClosed: Bool { status == .consumed || status == .abandoned }
}

extension EntityID {
  fileprivate static let lowest = EntityID(high: 0, low: 0)
  fileprivate static let highest = EntityID(high: .max, low: .max)
}
