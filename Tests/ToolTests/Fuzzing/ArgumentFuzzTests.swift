import LedgerArgumentRules
import LedgerTestSupport
import Testing

/// Command lines of the corpus and random changes of them, given to the parser of the tool without starting it.
/// `Tools/fuzz-model arguments` searches for others.
@Suite(.timeLimit(.minutes(10)))
struct ArgumentFuzzTests {
  @Test func everyCommandLineIsParsedOrRefusedAndNeverHarmful() throws {
    let seed = UInt64.random(in: 0...UInt64(UInt32.max))
    print("changes of command lines with seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    // Some of every verb.
    let inputs = try FuzzCorpus.inputs(of: "arguments")
    #expect(inputs.count > 20)
    for (number, input) in inputs.enumerated() {
      #expect(throws: Never.self, "input \(number)") { try ArgumentRules.check(input) }
    }
    for number in 0..<TestAmount.of(40) {
      let input = FuzzChanges.changed(inputs, &generator)
      #expect(throws: Never.self, "change \(number) with seed \(seed)") {
        try ArgumentRules.check(input)
      }
    }
    for number in 0..<TestAmount.of(1_000) {
      let input = FuzzChanges.changed(inputs, &generator)
      #expect(throws: Never.self, "word \(number) with seed \(seed)") {
        try ArgumentRules.checkWords(input)
      }
    }
  }
}
