#if Serve
  import Foundation
  import LedgerTestSupport
  import PromiseLedger
  import PromiseLedgerTesting
  import Testing

  /// What the live page is told, and how the server ends.
  @Suite(.timeLimit(.minutes(10)))
  struct ServeFeedTests {
    /// The place from which a page that was just loaded goes on.
    private static func place(_ served: ServedLedger) throws -> String {
      let page = try served.answer("GET", "/?token=\(served.token)", ["Authorization": ""])
      return String(try #require(page.firstMatch(of: /"place":"(\d+-\d+)"/)).output.1)
    }

    private static func feed(_ served: ServedLedger) throws -> PageClient {
      let client = try served.open("GET", "/feed", ["Last-Event-ID": try place(served)])
      try #require(client.wait(for: ": here\n\n"))
      return client
    }

    @Test func thePageHasWhatTheReportHas() async throws {
      let sample = try await PageSampleLedger()
      let report = try CommandRun("report", sample.path, "-o", "-").output
      let page = try await ServedLedger.with(sample.path) { served in
        try served.answer("GET", "/?token=\(served.token)", ["Authorization": ""])
      }
      let line = /^\["[a-z].*\]$/.anchorsMatchLineEndings()
      let lines = report.matches(of: line).map(\.output)
      #expect(lines.count > 2_000)
      let served = Set(page.matches(of: line).map(\.output))
      #expect(lines.filter { !served.contains($0) } == [])
    }

    /// What is stored cannot end an element of the page, or begin one.
    @Test func storedTextsBeginNoElement() async throws {
      let sample = try await PageSampleLedger()
      let page = try await ServedLedger.with(sample.path) { served in
        try served.answer("GET", "/?token=\(served.token)", ["Authorization": ""])
      }
      #expect(page.contains("window.stolen=1"))
      #expect(!page.contains("<script>window.stolen") && !page.contains("<img"))
      #expect(!page.contains("\u{202E}") && !page.contains("\u{2028}"))
    }

    @Test func eventsAndRecordsOfOthersArrive() async throws {
      let temporary = try TemporaryLedger()
      let ledger = try await temporary.open(as: .app)
      let id = try await ledger.createPromise(key: PromiseKey("order-1"), of: Int.self).id
      let told = try await ServedLedger.with(temporary.path) { served in
        let feed = try Self.feed(served)
        // Another process than the server and this one.
        let run = try CommandRun(
          "resolve", temporary.path, "\(id)", "--value", "7", "--reason", "</script>", "--apply")
        #expect(run.status == 0)
        let found =
          feed.wait(for: "\"lists\":{") && feed.wait(for: "promiseResolved")
          && feed.wait(for: "fulfilled")
        return found ? feed.received : "nothing: \(feed.received)"
      }
      #expect(told.contains("event: change\ndata: {"))
      #expect(told.contains("\\\"fulfilled\\\""))
      #expect(!told.contains("</script>"))
      await ledger.close()
    }

    /// A page that was away goes on where it was; one that was away for too long is told to begin anew.
    @Test func aPageGoesOnWhereItWas() async throws {
      let temporary = try TemporaryLedger()
      let ledger = try await temporary.open(as: .app)
      for name in ["a", "b", "c"] {
        _ = try await ledger.createPromise(key: PromiseKey(name), of: Int.self)
      }
      let told = try await ServedLedger.with(temporary.path, "--events", "4") { served in
        let place = try Self.place(served)
        let feed = try Self.feed(served)
        for name in ["a", "b"] {
          let run = try CommandRun(
            "resolve", temporary.path, name, "--value", "1", "--reason", "r", "--apply")
          try #require(run.status == 0, "\(run.notes)")
        }
        // Each run has the events of its session, too, so the page lacks more than are kept as soon as the server
        // has read them.
        try #require(feed.wait(for: "-11\n"), "\(feed.received)")
        let newest = try Self.place(served).drop { $0 != "-" }
        let places = [place, "9999-1", "9999\(newest)", "nonsense", ""]
        return try places.map { place in
          let feed = try served.open("GET", "/feed", ["Last-Event-ID": place])
          _ = feed.wait(for: "event: ")
          return feed.wait(for: "\n\n") ? feed.received : ""
        }
      }
      for told in told { #expect(told.contains("event: reset\n"), "\(told)") }
      await ledger.close()
    }

    /// A place that no page can have is one to begin anew from, and harms nothing.
    @Test(arguments: ["1000", "9223372036854775807", "18446744073709551615"])
    func aPlaceAfterTheLastEventBeginsAnew(position: String) async throws {
      let sample = try await StuckLedger()
      let (told, page) = try await ServedLedger.with(sample.path) { served in
        let version = try Self.place(served).prefix { $0 != "-" }
        let feed = try served.open("GET", "/feed", ["Last-Event-ID": "\(version)-\(position)"])
        let told = feed.wait(for: "event: ") && feed.wait(for: "\n\n") ? feed.received : ""
        return (told, try served.answer("GET", "/?token=\(served.token)", ["Authorization": ""]))
      }
      #expect(told.contains("event: reset\n"), "\(told)")
      #expect(page.hasPrefix("HTTP/1.1 200 "))
      await sample.close()
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func theServerEndsWhenItIsInterrupted(signal: Int32) async throws {
      let sample = try await StuckLedger()
      let (told, status, notes) = try await ServedLedger.with(sample.path) { served in
        let feed = try Self.feed(served)
        let status = try served.end(by: signal)
        return (feed.waitForEnd(), status, served.run.notes)
      }
      #expect(told.contains("event: end\n") && told.contains("The server was ended."))
      #expect(status == 0 && notes == "")
      await sample.close()
    }

    @Test func aRemovedLedgerEndsTheServer() async throws {
      let sample = try await StuckLedger()
      let (told, status, notes) = try await ServedLedger.with(sample.path) { served in
        let feed = try Self.feed(served)
        try FileManager.default.removeItem(atPath: sample.path)
        let told = feed.waitForEnd()
        return (told, try served.run.end(), served.run.notes)
      }
      #expect(told.contains("event: end\n") && told.contains("was removed"))
      #expect(status == 3 && notes.contains("was removed"))
      await sample.close()
    }

    /// What is open of the old ledger can still be read, but nothing more comes of it.
    @Test func aReplacedLedgerEndsTheServer() async throws {
      let sample = try await StuckLedger()
      let (told, status, notes) = try await ServedLedger.with(sample.path) { served in
        let feed = try Self.feed(served)
        try replaceByCopy(sample.path)
        let told = feed.waitForEnd()
        return (told, try served.run.end(), served.run.notes)
      }
      #expect(told.contains("event: end\n") && told.contains("was replaced"))
      #expect(status == 5 && notes.contains("was replaced while it was shown. Start the command"))
      await sample.close()
    }

    @Test func aLedgerIsShownWhileItIsCompacted() async throws {
      let temporary = try TemporaryLedger()
      let ledger = try await temporary.open(as: .app)
      for number in 0..<20 {
        let promise = try await ledger.createPromise(key: PromiseKey("p-\(number)"), of: Int.self)
        try await ledger.resolve(promise.id, with: .cancelled(reason: ""))
      }
      await ledger.close()
      let (told, page) = try await ServedLedger.with(temporary.path) { served in
        let feed = try Self.feed(served)
        let run = try CommandRun("compact", temporary.path, "--apply")
        #expect(run.status == 0, "\(run.notes)")
        let id = try CommandRun("promises", temporary.path, "--format", "ids").output.prefix(36)
        _ = try CommandRun(
          "abandon", temporary.path, String(id), "--reason", "old", "--apply")
        let told = feed.wait(for: "promiseAbandoned")
        return (told, try served.answer("GET", "/?token=\(served.token)", ["Authorization": ""]))
      }
      #expect(told && page.contains("promiseAbandoned"))
    }

    @Test func aPortInUseIsSaid() async throws {
      let sample = try await StuckLedger()
      let second = try await ServedLedger.with(sample.path) { served in
        try CommandRun("serve", sample.path, "--port", "\(served.port)")
      }
      #expect(second.status == 4 && second.output == "")
      #expect(second.notes.contains("is in use. Give another with --port"))
      await sample.close()
    }

    @Test func itEndsAsOtherVerbsDo() async throws {
      #expect(try CommandRun("serve", "/nothing").status == 3)
      #expect(try CommandRun("serve", "/nothing", "--port", "70000").status == 2)
      #expect(try CommandRun("serve", "/nothing", "--events", "0").status == 2)
      #expect(
        try CommandRun("serve", "/nothing", "--allow-actions", "--without-lock").status == 2)
    }
  }
#endif
