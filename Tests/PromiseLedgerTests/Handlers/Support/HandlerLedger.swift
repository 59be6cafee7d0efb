import PromiseLedger
import PromiseLedgerTesting
import Synchronization
import Testing

extension TemporaryLedger {
  /// Opens the ledger with kinds of handlers.
  func open(
    as role: SessionRole = .app, policy: LedgerConfiguration.UnfinishedCallPolicy = .keep,
    register: (inout HandlerRegistry) throws -> Void
  ) async throws -> Ledger {
    var configuration = LedgerConfiguration()
    configuration.unfinishedCallPolicy = policy
    try register(&configuration.handlers)
    return try await open(as: role, configuration: configuration)
  }
}

/// Expects an error with a code, which names all of `words`.
func expectError(
  _ code: LedgerError.Code, naming words: [String] = [],
  sourceLocation: Testing.SourceLocation = #_sourceLocation, _ body: () async throws -> some Any
) async {
  do {
    let value = try await body()
    Issue.record("no error, but \(value)", sourceLocation: sourceLocation)
  } catch let error as LedgerError {
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    for word in words {
      #expect(
        error.description.contains(word), "\(word) is not in: \(error)",
        sourceLocation: sourceLocation)
    }
  } catch {
    Issue.record("another error: \(error)", sourceLocation: sourceLocation)
  }
}

/// Keeps code waiting until the test releases it, and tells the test that it waits.
final class Gate: Sendable {
  private struct Contents {
    var isOpen = false
    var arrivals = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let contents = Mutex(Contents())

  /// One that is open from the start.
  static var opened: Gate {
    let gate = Gate()
    gate.open()
    return gate
  }

  /// Waits until the gate opens.
  func pass() async {
    await withCheckedContinuation { continuation in
      let due = contents.withLock { contents -> [CheckedContinuation<Void, Never>] in
        contents.arrivals += 1
        let arrivals = contents.arrivals
        var due = contents.watchers.filter { $0.count <= arrivals }.map(\.continuation)
        contents.watchers.removeAll { $0.count <= arrivals }
        if contents.isOpen {
          due.append(continuation)
        } else {
          contents.waiting.append(continuation)
        }
        return due
      }
      for continuation in due { continuation.resume() }
    }
  }

  /// Tells the test that code has come to the gate, and does not wait.
  func arrive() async {
    let due = contents.withLock { contents in
      contents.arrivals += 1
      let arrivals = contents.arrivals
      defer { contents.watchers.removeAll { $0.count <= arrivals } }
      return contents.watchers.filter { $0.count <= arrivals }
    }
    for watcher in due { watcher.continuation.resume() }
  }

  /// Waits until code has come to the gate `count` times in all.
  func arrival(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isDue = contents.withLock { contents in
        if contents.arrivals >= count { return true }
        contents.watchers.append((count, continuation))
        return false
      }
      if isDue { continuation.resume() }
    }
  }

  func open() {
    let waiting = contents.withLock { contents in
      contents.isOpen = true
      defer { contents.waiting = [] }
      return contents.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}

/// The actions of code, in order.
final class Notes: Sendable {
  private let contents = Mutex<[String]>([])
  var lines: [String] { contents.withLock { $0 } }
  func add(_ line: String) { contents.withLock { $0.append(line) } }
}
