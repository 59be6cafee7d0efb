import LedgerHistoryClient
import PromiseLedger

/// Makes histories on a ledger in files, whose store may lose answers.
struct Histories {
  /// A deliberate bug, to show that the checker finds it.
  enum Bug: String {
    /// Reads show a state that was taken when the history began.
    case staleReads = "stale-reads"
    /// The outcome is delivered, and its consumption is not recorded.
    case unrecordedConsumption = "unrecorded-consumption"
    /// Commands are answered before they are durable.
    case earlyAnswers = "early-answers"
  }

  private let path: String
  private let role: SessionRole
  private let maker: HistoryMaker
  private let bug: Bug?
  private let losesAnswers: Bool

  init(_ path: String, _ arguments: inout Arguments) throws {
    self.path = path
    let name = try arguments.next("name")
    role = try arguments.role()
    let seed = UInt64(try arguments.number("seed"))
    losesAnswers = arguments.has("loses-answers")
    let bug = arguments.rest().lazy.compactMap(Bug.init).first
    var maker = HistoryMaker(name, as: role, seed: seed) { Output.line($0) }
    maker.recordsConsumption = bug != .unrecordedConsumption
    maker.readsAreStale = bug == .staleReads
    (self.maker, self.bug) = (maker, bug)
  }

  func run() async throws {
    let isLossy = Flag()
    let ledger = try await open(isLossy)
    if losesAnswers { isLossy.set() }
    try await maker.run(on: ledger)
    await ledger.close()
  }

  private func open(_ isLossy: Flag) async throws -> Ledger {
    let configuration = try configuration()
    let directory = try LedgerDirectory(checking: path)
    let id = LedgerID(entityID: configuration.idGenerator.makeID(at: .now))
    // This leaves time to kill the process after an early answer was read and before the commit is durable.
    let delayInMicroseconds: UInt32 = bug == .earlyAnswers ? 2_000 : 0
    return try await Ledger.open(
      { () throws(LedgerError) in
        LossyStore(
          try LMDBEventStore.openOrCreate(
            directory, options: StoreOptions(sizeLimit: 1 << 30), newLedgerID: id, now: .now),
          isArmed: isLossy, delayInMicroseconds: delayInMicroseconds)
      }, FileSessionRegistry(in: directory), as: role, configuration: configuration)
  }

  private func configuration() throws -> LedgerConfiguration {
    var configuration = try maker.configuration()
    #if DEBUG
      configuration.hooks.acknowledgesBeforeCommit = bug == .earlyAnswers
    #endif
    return configuration
  }
}
