package import LedgerPostgreSQLTestSupport
import LedgerSystem
import LedgerTestSupport
import LedgerWorkerSupport
import PromiseLedgerPostgreSQL

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Two processes with one ledger, of which one is out of sight for longer than the lease of its session, or both are.
package enum LeaseTrial: String, Sendable, CaseIterable {
  /// One process stands still.
  case stopped
  /// One process does not reach the server.
  case partition
  /// No process reaches the server.
  case outage

  /// The shortest one.
  private static let lease = Duration.seconds(5)

  /// - Returns: What is wrong.
  package func run(on server: TestServer) async throws -> [String] {
    let direct = try server.makePlace()
    let (near, far) = (try server.makeProxy(), try server.makeProxy())
    var place = try near.place(direct)
    place.lease = Self.lease
    var configuration = LedgerConfiguration()
    configuration.instance = "observer"
    let ledger = try await Ledger.open(place, as: .app, configuration: configuration)
    let worker = try WorkerProcess(
      "hold", on: far.connection, direct, clock: WrongClock(ofHost: self == .stopped ? 1 : 2))
    guard let opened = await worker.nextLine(), opened.hasPrefix("opened ") else {
      return ["the other process did not open the ledger"]
    }
    let session = String(opened.dropFirst("opened ".count))
    switch self {
    case .stopped:
      worker.send(signal: SIGSTOP)
      try await Self.awaitDeath(of: session, in: ledger)
      worker.send(signal: SIGCONT)
    case .partition:
      far.interrupt()
      try await Self.awaitDeath(of: session, in: ledger)
      far.restore()
    case .outage:
      for proxied in [near, far] { proxied.interrupt() }
      try await Task.sleep(for: Self.lease * 1.5)
      for proxied in [near, far] { proxied.restore() }
    }
    var answer = try await worker.ask("after")
    // Its connections may be of before.
    for _ in 0..<50 where answer == "unavailable" { answer = try await worker.ask("after") }
    var problems: [String] = []
    let expected = self == .outage ? "created" : "sessionEnded"
    if answer != expected { problems.append("the other process was told \(answer ?? "nothing")") }
    if self == .outage {
      // Observers have looked at its beat for a lease since, and compared it with beats of their own.
      try await Task.sleep(for: Self.lease * 2.5)
    }
    problems += try await check(ledger, session)
    worker.closeInput()
    if await worker.end() != .exited(0) { problems.append("the other process failed") }
    await ledger.close()
    return problems.map { "\(rawValue): \($0)" }
  }

  /// Waits until the end of a session is in the log, as that of a process that died.
  private static func awaitDeath(of session: String, in ledger: Ledger) async throws {
    for try await event in ledger.events() {
      if "\(event.subject)" == session, try event.decode(as: SessionClosed.self)?.reason == .died {
        return
      }
    }
  }

  private func check(_ ledger: Ledger, _ session: String) async throws -> [String] {
    var problems: [String] = []
    let labels = try await ledger.unconsumedPromises().map(\.label)
    let expected = self == .outage ? ["before", "after"] : ["before"]
    if labels != expected { problems.append("there are promises \(labels)") }
    let open = Set(try await ledger.openSessions().map { "\($0.id)" })
    let living = Set(self == .outage ? ["\(ledger.session)", session] : ["\(ledger.session)"])
    if open != living { problems.append("the open sessions are \(open)") }
    return problems
  }
}

extension TestProxy {
  /// Loses everything from now on.
  fileprivate func interrupt() {
    proxy.setPlan { _ in .isLost }
    proxy.cutAll()
  }

  /// Loses nothing more.
  fileprivate func restore() { proxy.setPlan { _ in .passes } }
}
