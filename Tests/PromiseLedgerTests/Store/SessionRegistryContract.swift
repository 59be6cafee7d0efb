import LedgerModelTestSupport
import LedgerSystem
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// The requirements on the registry of sessions of each store.
@Suite(.timeLimit(.minutes(10)))
struct SessionRegistryContract {
  private static func session(_ number: Int) -> SessionEntity {
    .open(.numbered(number), processID: ThisProcess.id)
  }

  @Test(arguments: StoreMaker.all)
  func aSessionIsAliveUntilItFreezesAndWhenItComesBack(maker: StoreMaker) throws {
    let subject = try maker.make()
    let hold = try subject.sessions.begin(.numbered(1))
    #expect(try subject.sessions.findings(of: [Self.session(1)]) == [.alive])
    try hold.freeze()
    #expect(try subject.sessions.findings(of: [Self.session(1)]) != [.dead])
    let again = try subject.sessions.begin(.numbered(1))
    #expect(try subject.sessions.findings(of: [Self.session(1)]) == [.alive])
    #expect(subject.sessions.deadSessions() == [])
    again.end()
    #expect(subject.sessions.deadSessions() == [])
  }

  @Test(arguments: StoreMaker.all)
  func findingsAreInTheOrderOfTheSessions(maker: StoreMaker) throws {
    let subject = try maker.make()
    #expect(try subject.sessions.findings(of: []) == [])
    let holds = try [1, 3].map { try subject.sessions.begin(.numbered($0)) }
    let findings = try subject.sessions.findings(of: (1...3).map(Self.session))
    #expect(findings == [.alive, maker.findsDeadSessions ? .dead : .alive, .alive])
    for hold in holds { hold.end() }
  }

  @Test(arguments: StoreMaker.all)
  func nothingIsRemovedOfASessionThatIsAlive(maker: StoreMaker) throws {
    let subject = try maker.make()
    let hold = try subject.sessions.begin(.numbered(1))
    subject.sessions.removeLeftovers(of: [.numbered(1), .numbered(2)])
    #expect(try subject.sessions.findings(of: [Self.session(1)]) == [.alive])
    hold.end()
  }

  @Test(arguments: StoreMaker.all.filter(\.findsDeadSessions))
  func aSessionThatEndedOrLeftNothingIsDead(maker: StoreMaker) throws {
    let subject = try maker.make()
    try subject.sessions.begin(.numbered(1)).end()
    try subject.sessions.begin(.numbered(2)).freeze()
    subject.sessions.removeLeftovers(of: [.numbered(2)])
    let findings = try subject.sessions.findings(of: (1...3).map(Self.session))
    #expect(findings == [.dead, .dead, .dead])
  }
}
