import Foundation
import LedgerModelTestSupport
import Testing

@testable import LedgerModel

@Suite(.timeLimit(.minutes(10))) struct StoredErrorTests {
  @Test(arguments: ["d", "é", "👩‍👩‍👧"])
  func anOverLongDomainIsCutWhereverItComesFrom(character: String) throws {
    let domain = String(repeating: character, count: 400)
    let made = StoredError(domain: domain, message: "m")
    #expect(made.domain.utf8.count <= TextLimit.errorDomain.maximumByteCount)
    #expect(made.domain.utf8.count > TextLimit.errorDomain.maximumByteCount - character.utf8.count)
    #expect(domain.hasPrefix(made.domain))
    let json = Data(#"{"domain":"\#(domain)","message":"m"}"#.utf8)
    #expect(try JSONDecoder().decode(StoredError.self, from: json) == made)
  }
}
