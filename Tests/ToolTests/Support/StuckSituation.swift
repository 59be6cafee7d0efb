import PromiseLedger
import PromiseLedgerTesting
import Testing

/// A way in which nothing goes on, and the way out by the commands that the tool itself names.
struct StuckSituation: Sendable, CustomTestStringConvertible {
  /// A command after the overview: a text that its output has, and the verb of the next command, which is a line
  /// of that output; or, after a list, the verb and what is in one of its lines.
  struct Look: Sendable {
    let cause: String
    let next: String
  }

  /// The line of the overview that leads on.
  let finding: String
  let writer: OnCallLedger.Writer
  let body: @Sendable (OnCallWriter) async throws -> Void
  let looks: [Look]
  /// The arguments of the command that cures it, if no output has them: those after the path.
  var cure: [String]?
  /// The line of the overview that shows the cure.
  var cured: String?
  /// Whether the line of the finding is still there, for something else that is not stuck.
  var remains = false

  var testDescription: String { "\(finding): \(looks.map(\.cause).joined(separator: " / "))" }

  init(
    _ finding: String, _ writer: OnCallLedger.Writer, looks: (String, String)...,
    cure: [String]? = nil, cured: String? = nil, remains: Bool = false,
    _ body: @escaping @Sendable (OnCallWriter) async throws -> Void
  ) {
    (self.finding, self.writer, self.body) = (finding, writer, body)
    self.looks = looks.map { Look(cause: $0.0, next: $0.1) }
    (self.cure, self.cured, self.remains) = (cure, cured, remains)
  }
}

extension StuckSituation {
  /// All of them, in the order of the table in the article.
  static let all: [StuckSituation] = failed + stuckWork + stuckPromises + waiting

  private static let failed = [
    StuckSituation(
      "work parked until an operator acts", .closed,
      looks: ("because the code failed once, with smtp 550: no mailbox", "retry"),
      cured: "work due, and no session is open"
    ) {
      try await $0.parkedWork(1)
    },
    StuckSituation(
      "work parked until an operator acts", .closed,
      looks: ("It has been parked since 2026-01-01T00:00:00.000000Z by session", "retry"),
      cured: "work due, and no session is open"
    ) {
      try await $0.work(1)
      _ = try await $0.ledger.parkWork(OnCallLedger.promise(1))
    },
    StuckSituation(
      "work parked until an operator acts", .closed,
      looks: ("  parked    mail ", ""),
      cure: ["retry", "--state", "parked", "--kind", "mail"],
      cured: "work due, and no session is open"
    ) { writer in
      for number in [1, 2] as [UInt64] { try await writer.parkedWork(number) }
    },
    StuckSituation(
      "work failed for good", .closed,
      looks: ("It was rejected at 2026-01-01T00:00:00.000000Z, and needs no consumption.", ""),
      cure: ["compact"]
    ) {
      try await $0.work(1)
      try await $0.claim(1)
      try await $0.fail(1, WorkRetryPolicy(failureLimit: 1))
    },
    StuckSituation(
      "handlers whose newest run failed", .closed, looks: ("net 7: offline", ""),
      cure: ["compact"]
    ) {
      try await $0.handler(1)
      try await $0.call(1)
      try await $0.failCall(1)
    },
    StuckSituation(
      "work failed, to be run again", .closed,
      looks: ("The code failed once, the last time at", "retry"),
      cured: "work due, and no session is open"
    ) {
      try await $0.work(1)
      try await $0.claim(1)
      try await $0.fail(
        1,
        WorkRetryPolicy(
          firstDelay: .seconds(3_000_000_000), longestDelay: .seconds(4_000_000_000)))
    },
    StuckSituation(
      "promises rejected or timed out, not consumed", .closed,
      looks: ("and the app has not consumed it.", "abandon")
    ) {
      try await $0.promise(1)
      try await $0.ledger.resolve(
        OnCallLedger.promise(1),
        with: .rejected(StoredError(domain: "bank", code: 51, message: "no money")))
    },
  ]

  private static let stuckWork = [
    StuckSituation(
      "work run by a process that is gone", .killed,
      looks: ("whose process is gone.", "retry"), cured: "work due, and no session is open"
    ) {
      try await $0.work(1)
      try await $0.claim(1)
    },
    StuckSituation(
      "calls run by a process that is gone", .killed,
      looks: ("whose process is gone.", "retry"), cured: "calls given back, to be run again"
    ) {
      try await $0.handler(1)
      try await $0.call(1)
    },
    StuckSituation(
      "sessions whose process is gone", .killed, looks: ("  dead    app ", ""),
      cure: ["compact", "--fold-only"]
    ) { try await $0.promise(1) },
    StuckSituation(
      "work due, and no session is open", .closed,
      looks: ("and no session is open that could run the kind \"mail\".", ""),
      cure: ["cancel", "\(OnCallLedger.promise(1))"]
    ) { try await $0.work(1) },
    StuckSituation(
      "work run by a frozen session", .frozenUnrecorded,
      looks: ("The session is frozen.", "force")
    ) {
      try await $0.work(1)
      try await $0.claim(1)
    },
    StuckSituation(
      "calls given back, to be run again", .closed,
      looks: ("A session that knows the kind \"avatar\" may run it again.", ""),
      cure: ["invalidate", "\(OnCallLedger.id(1))"]
    ) {
      try await $0.handler(1)
      try await $0.call(1)
    },
    StuckSituation(
      "work runs", .alive, looks: ("It was asked to end at", "force")
    ) {
      try await $0.work(1)
      try await $0.claim(1)
      _ = try await $0.ledger.cancelWork(OnCallLedger.promise(1), reason: "left")
    },
    StuckSituation(
      "work due", .alive, looks: ("and none of the open sessions has started it", ""),
      cure: ["park", "\(OnCallLedger.promise(1))"], cured: "work parked until an operator acts"
    ) { try await $0.work(1) },
    StuckSituation(
      "work due", .alive,
      looks: ("  due       mail ", "explain \(OnCallLedger.promise(2))"),
      ("Earlier work of lane \"account/42\" is due first: ", ""),
      cure: ["park", "\(OnCallLedger.promise(1))"], cured: "work parked until an operator acts",
      remains: true
    ) {
      let options = WorkOptions(lane: try WorkLane("account/42"))
      try await $0.work(1, "old", options: options)
      try await $0.work(2, options: options)
    },
  ]

  private static let stuckPromises = [
    StuckSituation(
      "promises that probably nothing settles", .closed,
      looks: ("which created it, is gone, so another one must resolve it.", "resolve")
    ) { try await $0.promise(1) },
    StuckSituation(
      "promises that probably nothing settles", .closed, looks: ("  pending ", ""),
      cure: ["abandon", "--orphaned", "--tag", "room"]
    ) {
      try await $0.promise(1, tags: ["room"])
      try await $0.promise(2, tags: ["room"])
    },
    StuckSituation(
      "promises whose deadline has passed", .closed,
      looks: ("has passed: the next session that opens the ledger or writes times it out.", ""),
      cure: ["compact", "--fold-only"], cured: "promises rejected or timed out, not consumed"
    ) { try await $0.promise(1, deadline: OnCallLedger.longAgo) },
  ]

  private static let waiting = [
    StuckSituation(
      "work waits for promises", .closed,
      looks: ("Its code runs when promise \(OnCallLedger.promise(1)) is fulfilled", "explain"),
      ("which created it, is gone, so another one must resolve it.", "resolve"),
      cured: "work due, and no session is open"
    ) {
      try await $0.promise(1)
      try await $0.work(2, "mail", .after(OnCallLedger.promise(1), .fulfilled))
    },
    StuckSituation(
      "joints wait for other promises", .closed,
      looks: ("of which these are pending: \(OnCallLedger.promise(1))", "explain"),
      ("which created it, is gone, so another one must resolve it.", "resolve")
    ) {
      try await $0.promise(1)
      try await $0.joint(2, .all, of: [1])
    },
    StuckSituation(
      "work waits for a time", .closed, looks: ("Its code runs at 2100-", ""),
      cure: ["retry", "\(OnCallLedger.promise(1))"], cured: "work due, and no session is open"
    ) {
      try await $0.work(
        1, "mail", .at(Timestamp(nanosecondsSinceEpoch: 4_102_444_800_000_000_000)))
    },
    StuckSituation(
      "promises settled, not consumed", .closed,
      looks: ("and the app has not consumed it.", "abandon")
    ) {
      try await $0.promise(1)
      try await $0.ledger.resolve(
        OnCallLedger.promise(1),
        with: .fulfilled(StoredValue(typeTag: "int", bytes: Array("1".utf8))))
    },
    StuckSituation(
      "handlers wait for a call", .closed,
      looks: ("It has the kind \"avatar\" and has waited for a call since", "invalidate")
    ) { try await $0.handler(1) },
  ]
}
