#if os(Linux)
  import Foundation
  import PromiseLedger
  import Testing

  /// Lists on terminals of several widths.
  @Suite(.timeLimit(.minutes(10)))
  struct WidthTests {
    @Test func aWideTerminalShowsEverything() async throws {
      let sample = try await WorkSampleLedger()
      let run = try CommandRun(atTerminalOfWidth: 200, "work", sample.path, "--state", "waiting")
      // Ages depend on the day of the test.
      #expect(
        run.output.replacing(/\d+ d ago +/, with: "AGE  ") == """
          name              id                                    state     kind                  since                             details
          "Publish 7"       019b76da-a800-7000-8700-000000000a02  waiting   publish               2026-01-01T00:00:00Z AGE  after promise 00000a01
                            019b76da-a800-7000-8700-000000000a03  waiting   mail                  2026-01-01T00:00:00Z AGE  at 2100-01-01T00:00:00.000000Z

          """)
      #expect(run.status == 0)
      await sample.close()
    }

    @Test func aNarrowTerminalCutsLines() async throws {
      let sample = try await WorkSampleLedger()
      let run = try CommandRun(atTerminalOfWidth: 60, "work", sample.path, "--state", "waiting")
      #expect(
        run.output == """
          name              id        state     kind                 …
          "Publish 7"       00000a02  waiting   publish              …
                            00000a03  waiting   mail                 …

          """)
      #expect(run.status == 0)
      await sample.close()
    }

    @Test func coloursNeedATerminalThatWantsThem() async throws {
      let sample = try await WorkSampleLedger()
      let plain = try CommandRun(atTerminalOfWidth: 200, "work", sample.path)
      let coloured = try CommandRun(atTerminalOfWidth: 200, isStyled: true, "work", sample.path)
      #expect(!plain.output.contains("\u{1B}"))
      #expect(coloured.output.hasPrefix("\u{1B}[1mname "))
      #expect(coloured.output.replacing(/\u{1B}\[\d*m/, with: "") == plain.output)
      await sample.close()
    }
  }
#endif
