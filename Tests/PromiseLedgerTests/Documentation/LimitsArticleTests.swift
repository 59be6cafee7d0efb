import Foundation
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger
@testable import PromiseLedgerPostgreSQL

/// The article *Limits and defaults* has the numbers of the code.
@Suite(.timeLimit(.minutes(10)))
struct LimitsArticleTests {
  /// The first cells of a table with the second ones, and the third ones.
  private struct Table {
    var values: [String: String] = [:]
    var effects: [String] = []
  }

  /// The tables whose heading begins with a cell, as one. No row is there twice.
  private static func table(_ heading: String) throws -> Table {
    let article = try Article(
      path: "Sources/PromiseLedger/PromiseLedger.docc/LimitsAndDefaults.md")
    var table = Table()
    var isInside = false
    for line in article.lines {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard line.hasPrefix("| "), cells.count == 3 else {
        isInside = isInside && line.hasPrefix("|")
        continue
      }
      guard isInside else {
        isInside = cells[0] == heading
        continue
      }
      #expect(table.values.updateValue(cells[1], forKey: cells[0]) == nil, "\(cells[0]) is twice")
      table.effects.append(cells[2])
    }
    return table
  }

  /// Fails for each row that is not of the code, and each value that has no row.
  private static func compare(_ table: Table, with expected: [(String, String)]) {
    let expected = Dictionary(uniqueKeysWithValues: expected)
    for (name, value) in table.values {
      #expect(value == expected[name], "\(name): nothing in the code has this value")
    }
    for name in expected.keys { #expect(table.values[name] != nil, "\(name) has no row") }
    // Numbers stand in the second column, where they are compared.
    let numbers = table.effects.filter { effect in effect.contains { $0.isNumber } }
    #expect(numbers == [])
  }

  @Test func limitsAreThoseOfTheCode() throws {
    Self.compare(
      try Self.table("limit"),
      with: Self.texts + Self.values + Self.calls + Self.work + Self.places)
  }

  @Test func everyTextHasARow() throws {
    let names = try Article(path: "Sources/LedgerModel/Values/TextLimit.swift").lines
      .joined(separator: " ").matches(of: /TextLimit\(\s*"([^"]+)"/).map { String($0.1) }
    #expect(names.count > 10, "Are the limits still written in this way?")
    let rows = try Self.table("limit").values
    for name in names { #expect(rows[name] != nil, "\(name)") }
  }

  @Test func defaultsAreThoseOfTheCode() throws {
    Self.compare(
      try Self.table("setting"), with: Self.session + Self.parts + Self.postgreSQL)
  }

  /// Whatever has no limit: objects that the app supplies.
  private static let objects = ["clock", "idGenerator", "codecs", "logger", "handlers"]

  @Test(arguments: [
    ("LedgerRuntime/Ledger/LedgerConfiguration", ""),
    ("LedgerRuntime/Ledger/LedgerConfiguration+Runner", "RunnerLimits."),
    ("PromiseLedger/LedgerConfiguration+Files", ""),
    ("LedgerRuntime/Compaction/CompactionPolicy", "CompactionPolicy."),
    ("PromiseLedgerPostgreSQL/PostgreSQLLedger", ""),
  ])
  func everySettingHasARow(file: String, prefix: String) throws {
    let names = try Article(path: "Sources/\(file).swift").lines
      .compactMap { $0.firstMatch(of: /^  public var (\w+)/).map { String($0.1) } }
    #expect(names.count >= 3, "Are the settings still written in this way?")
    let rows = try Self.table("setting").values
    for name in names where !Self.objects.contains(name) {
      // Those of automatic compaction are in the row of the session, and those above.
      guard !["tailEventCount", "policy"].contains(name) else { continue }
      #expect(rows["`\(prefix)\(name)`"] != nil, "\(file): \(name)")
    }
  }
}

// MARK: - Numbers as the article writes them

extension LimitsArticleTests {
  private static func count(_ number: Int) -> String {
    number.formatted(.number.locale(Locale(identifier: "en_US")))
  }

  private static func bytes(_ number: Int) -> String {
    for (shift, unit) in [(30, "GiB"), (20, "MiB")] where number >= 1 << shift {
      return number % (1 << shift) == 0
        ? "\(count(number >> shift)) \(unit)" : "\(count(number)) bytes"
    }
    return "\(count(number)) bytes"
  }

  private static func time(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    guard attoseconds == 0 else { return "\(Int(duration / .milliseconds(1))) ms" }
    switch Int(seconds) {
    case let seconds where seconds > 86_400 && seconds % 86_400 == 0:
      return "\(seconds / 86_400) days"
    case 3_600: return "1 hour"
    case let seconds where seconds % 3_600 == 0: return "\(seconds / 3_600) hours"
    case let seconds: return "\(seconds) s"
    }
  }

  private static func bytes(_ text: TextLimit) -> (String, String) {
    (text.name, bytes(text.maximumByteCount))
  }
}

// MARK: - The limits in the code

extension LimitsArticleTests {
  private static let texts =
    [
      TextLimit.promiseKey, .handlerKey, .idempotencyKey, .label, .tag, .scope, .reason,
      .handlerKind, .typeTag, .argumentName, .lane, .instance, .stepName, .stepKey, .errorDomain,
    ].map(bytes) + [
      ("tags of a promise", count(TextLimit.maximumTagCount)),
      ("scopes of a handler", count(TextLimit.maximumScopeCount)),
    ]

  private static let payload = bytes(LedgerConfiguration().maximumPayloadSizeInBytes)

  private static let values = [
    ("value or error, encoded", payload),
    ("arguments of a handler, a call or work", count(StoredArguments.maximumCount)),
    ("values of these arguments together", payload),
    (
      "promises and handlers to which these arguments refer",
      count(HandlerReferences.maximumCount)
    ),
    ("promises and handlers of a batch", count(CreateTogether.maximumPartCount)),
    ("arguments of the handlers of a batch together", payload),
  ]

  private static let calls = [
    ("effects of a call, a step or an attempt", count(HandlerEffect.maximumCount)),
    ("values and arguments of these effects together", payload),
    ("calls that wait for each other", count(CallChain.maximumDepth)),
    ("calls that follow from one call", count(HandlerRunner.maximumChainLength)),
  ]

  private static let work = [
    ("inputs of a joint", count(JointOrder.maximumInputCount)),
    ("works of a lane that run at once", count(WorkLane.maximumWidth)),
    ("steps and pauses of work", count(WorkStep.maximumCount)),
    ("results of these steps together", bytes(WorkStep.maximumByteCount)),
    (
      "further steps, once a step failed or the work was cancelled",
      count(WorkStep.reservedCount)
    ),
    ("results of the further steps", bytes(WorkStep.reservedByteCount)),
    ("children, joints and promises of work", count(WorkFlow.maximumChildCount)),
    (
      "attempts in a row whose process dies before another step has ended",
      count(Int(WorkProgress.deathLimit))
    ),
    (
      "promises of others that work awaited and that retention keeps for it",
      count(WorkProgress.maximumAwaitedCount)
    ),
    ("promises that wake up work that waits", count(WorkCondition.maximumPromiseCount)),
    ("works whose code waits in the memory of a session", count(WorkLoop.waitingLimit.app)),
    ("the same, in an app extension", count(WorkLoop.waitingLimit.appExtension)),
  ]

  private static let places = [
    ("line of an archive to import", bytes(LedgerImport().maximumLineSizeInBytes)),
    ("name of a ledger on PostgreSQL", bytes(PostgreSQLLedger.maximumNameByteCount)),
    ("name of a schema on PostgreSQL", bytes(SchemaNames.maximumByteCount)),
    ("one commit on PostgreSQL", place.map { bytes($0.largestCommitByteCount) } ?? "?"),
  ]
}

// MARK: - The defaults in the code

extension LimitsArticleTests {
  private static let place = try? PostgreSQLLedger("orders", on: "dbname=shop")

  private static let session: [(String, String)] = {
    let session = LedgerConfiguration()
    return [
      ("`instance`", session.instance),
      ("`writerStallTimeout`", time(session.writerStallTimeout)),
      ("`freezeTimeout`", time(session.freezeTimeout)),
      (
        "`pollInterval`",
        "\(time(session.pollInterval)), at least \(time(LedgerConfiguration.shortestPollInterval))"
      ),
      ("`maximumPayloadSizeInBytes`", bytes(session.maximumPayloadSizeInBytes)),
      ("`maximumWaitingCommandCount`", count(session.maximumWaitingCommandCount)),
      ("`maximumQueuedWorkCount`", session.maximumQueuedWorkCount.map(count) ?? "none"),
      ("`waitsWhileFrozen`", "\(session.waitsWhileFrozen)"),
      ("`stalePromisePolicy`", "\(session.stalePromisePolicy)"),
      ("`unfinishedCallPolicy`", "\(session.unfinishedCallPolicy)"),
      (
        "`automaticCompaction`",
        session.automaticCompaction.map { "after \(count($0.tailEventCount)) events" } ?? "none"
      ),
      ("`runner`", "\(session.runner)"),
      (
        "`sizeLimitInBytes`",
        "\(bytes(session.sizeLimitInBytes)), at least \(bytes(FileOptions.smallestSizeLimitInBytes))"
      ),
      (
        "`largestGrowthInBytes`",
        "\(bytes(session.largestGrowthInBytes)), at most \(bytes(FileOptions.maximumGrowthInBytes))"
      ),
      (
        "`maximumReaderCount`",
        "\(count(session.maximumReaderCount)), at most \(count(FileOptions.largestReaderCount))"
      ),
      ("`pageCheck`", "\(session.pageCheck)"),
    ]
  }()

  private static let parts: [(String, String)] = {
    let (compaction, limits) = (AutomaticCompaction().policy, RunnerLimits())
    let retry = WorkRetryPolicy.standard
    return [
      ("eventRetention", compaction.eventRetention.map(time) ?? "none"),
      ("minimumEventCount", count(compaction.minimumEventCount)),
      ("recordRetention", compaction.recordRetention.map(time) ?? "none"),
      ("archiveDirectory", compaction.archiveDirectory ?? "none"),
    ].map { ("`CompactionPolicy.\($0)`", $1) }
      + [
        ("total", count(limits.total)), ("kinds", limits.kinds.isEmpty ? "none" : "some"),
        ("gracePeriod", time(limits.gracePeriod)),
      ].map { ("`RunnerLimits.\($0)`", $1) }
      + [
        ("failureLimit", retry.failureLimit.map(count) ?? "none"),
        ("firstDelay", time(retry.firstDelay)), ("longestDelay", time(retry.longestDelay)),
        ("factor", retry.factor.formatted(.number.locale(Locale(identifier: "en_US")))),
        ("givingUp", "\(retry.givingUp)"),
      ].map { ("`WorkRetryPolicy.\($0)`", $1) }
  }()

  private static let postgreSQL: [(String, String)] = {
    guard let place else { return [] }
    return [
      ("`requiredDurability`", "\(place.requiredDurability)"), ("`reads`", "\(place.reads)"),
      ("`lease`", "\(time(place.lease)), at least \(time(BeatObserver.shortestLease))"),
      ("`frozenLease`", time(place.frozenLease)),
      ("`reconnectionPatience`", time(place.reconnectionPatience)),
    ]
  }()
}
