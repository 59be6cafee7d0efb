import Foundation
import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTesting

/// Creates, resolves, reads and consumes promises until standard input ends, and checks that the
/// ledger's answers match its own knowledge. It prints `C`, `R` or `K` and the promise's id for an
/// acknowledged step, and `problem` and a text for an impossible answer.
///
/// It resolves any promise that it finds pending, its own or another process's, with a value that
/// follows from the id.
struct Live {
  private static let taskCount = 2

  private let path: String
  private let instance: String
  private let seed: Int
  private let archives: String?

  init(_ path: String, _ arguments: inout Arguments) throws {
    self.path = path
    instance = try arguments.next("instance")
    seed = try arguments.number("seed")
    archives = arguments.rest().first
  }

  func run() async throws {
    var configuration = LedgerConfiguration()
    configuration.instance = instance
    configuration.writerStallTimeout = .seconds(60)
    try configuration.handlers.register(Settle.self)
    if let archives {
      configuration.automaticCompaction = AutomaticCompaction(
        tailEventCount: 300, policy: .everything(archivedIn: archives))
    }
    let ledger = try await Ledger.open(at: path, as: .app, configuration: configuration)
    Output.line("opened \(ledger.session)")
    let end = StandardInputEnd()
    try await withThrowingTaskGroup { group in
      for index in 0..<Self.taskCount {
        group.addTask {
          var life = Life(ledger, "\(instance)/\(index)", seed: UInt64(seed * 16 + index))
          while !end.isReached { try await life.step() }
        }
      }
      try await group.waitForAll()
    }
    await ledger.close()
    Output.line("closed")
  }
}

/// The promises of one task, and the known facts about them.
private struct Life {
  private let ledger: Ledger
  private let name: String
  private var generator: SeededGenerator
  private var stepCount = 0
  /// Those not consumed yet, in the order of their creation.
  private var open: [PromiseID] = []
  private var consumed: [PromiseID] = []
  /// Those whose records were removed: they never come back.
  private var gone: Set<PromiseID> = []

  init(_ ledger: Ledger, _ name: String, seed: UInt64) {
    self.ledger = ledger
    self.name = name
    generator = SeededGenerator(seed: seed)
  }

  mutating func step() async throws {
    stepCount += 1
    try await create()
    try await resolveOthers()
    if open.count > 6 { try await consume(open.removeFirst()) }
    try await lookBack()
  }

  private mutating func create() async throws {
    let promise: DurablePromise<[UInt8]> =
      if stepCount % 3 == 0 {
        try await ledger.createPromise(key: PromiseKey("\(name)/\(stepCount)"))
      } else {
        try await ledger.createPromise()
      }
    Output.line("C \(promise.id)")
    open.append(promise.id)
    guard stepCount % 5 == 0 else { return }
    let handler = try await ledger.createHandler(
      Settle.self, ["promise": promise], repetition: stepCount % 2 == 0 ? .repeating : .oneShot
    ).handler
    try await handler.call()
  }

  /// Everything open is in the list, and some pending promises there are resolved.
  private mutating func resolveOthers() async throws {
    let list = try await ledger.unconsumedPromises()
    let missing = Set(open).subtracting(list.map(\.id))
    if !missing.isEmpty { Output.line("problem not listed \(missing)") }
    for record in list { check(record) }
    for record in list.filter({ $0.status == .pending }).shuffled(using: &generator).prefix(3) {
      try await resolve(record.id)
    }
  }

  private func resolve(_ id: PromiseID) async throws {
    do {
      let promise = try ledger.promise(id: id, of: [UInt8].self)
      switch try await promise.fulfill(id.expectedValue) {
      case .resolved: Output.line("R \(id)")
      case .notFound:
        if open.contains(id) { Output.line("problem not found \(id)") }
      default: break
      }
    } catch let error as LedgerError where error.code == .recordRemoved {
      if open.contains(id) { Output.line("problem compacted \(id)") }
    }
  }

  private mutating func consume(_ id: PromiseID) async throws {
    // No other process may have found it.
    try await resolve(id)
    let value = try await ledger.promise(id: id, of: [UInt8].self).consume()
    Output.line("K \(id)")
    if value != id.expectedValue { Output.line("problem wrong value of \(id)") }
    consumed.append(id)
  }

  /// A consumed promise is there unchanged, or gone for ever.
  private mutating func lookBack() async throws {
    for id in open.shuffled(using: &generator).prefix(2) {
      guard let record = try await ledger.record(of: id) else {
        Output.line("problem lost \(id)")
        continue
      }
      check(record)
    }
    guard let id = consumed.randomElement(using: &generator) else { return }
    guard let record = try await ledger.record(of: id) else {
      gone.insert(id)
      return
    }
    if gone.contains(id) { Output.line("problem back again \(id)") }
    if record.status != .consumed { Output.line("problem \(record.status) again \(id)") }
    check(record)
  }

  private func check(_ record: PromiseRecord) {
    guard record.status != .pending else { return }
    guard case .fulfilled(let value)? = record.outcome,
      (try? PayloadCodec<[UInt8]>.standard().decode(value.bytes)) == record.id.expectedValue
    else { return Output.line("problem outcome of \(record.id)") }
  }
}

/// Resolves the promise that it is bound to.
private struct Settle: LedgerHandler {
  static let kind = "settle"
  let promise: DurablePromise<[UInt8]>

  func run(in call: HandlerCall<Void>) throws {
    try call.fulfill(promise, promise.id.expectedValue)
  }
}

extension PromiseID {
  /// The value with which every process resolves the promise: now and then too large for a frame.
  fileprivate var expectedValue: [UInt8] {
    let text = Array(description.utf8)
    let isLarge = text.reduce(0, { $0 &+ Int($1) }) % 7 == 0
    return isLarge ? Array(repeatElement(text, count: 250).joined()) : text
  }
}

/// Whether the parent closed this process's standard input.
private final class StandardInputEnd: Sendable {
  private let flag = Flag()

  init() {
    Thread.detachNewThread { [flag] in
      while readLine() != nil {}
      flag.set()
    }
  }

  var isReached: Bool { flag.isSet }
}
