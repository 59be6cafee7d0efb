import LedgerPromises
import Testing

/// Looking again and again.
@Suite(.timeLimit(.minutes(1))) struct SpinTests {
  @Test func lookingEndsWithTheFirstSuccess() {
    var count = 0
    let isThere = Spin.look(atMost: 400) {
      count += 1
      return count == 3
    }
    #expect(isThere)
    #expect(count == 3)
  }

  @Test func lookingEndsAfterTheLastLook() {
    var count = 0
    let isThere = Spin.look(atMost: 400) {
      count += 1
      return false
    }
    #expect(!isThere)
    #expect(count == 400)
  }
}
