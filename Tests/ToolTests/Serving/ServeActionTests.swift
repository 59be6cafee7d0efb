#if Serve
  import Foundation
  import PromiseLedger
  import PromiseLedgerTesting
  import Testing

  /// What an operator does on the live page.
  @Suite(.timeLimit(.minutes(10)))
  struct ServeActionTests {
    private static func order(_ verb: String, _ id: PromiseID, apply: Bool) -> [String: Any] {
      ["verb": verb, "id": "\(id)", "reason": "called the bank", "apply": apply]
    }

    @Test func anActionIsShownFirstAndThenMade() async throws {
      let temporary = try TemporaryLedger()
      let ledger = try await temporary.open(as: .app)
      let promise = try await ledger.createPromise(key: PromiseKey("order-7"), of: Int.self)
      let id = promise.id
      let answers = try await ServedLedger.with(temporary.path, "--allow-actions") { served in
        var order = Self.order("resolve", id, apply: false)
        order["value"] = "7"
        let would = try served.order(order)
        let head = try BlockingInspector(at: temporary.path).head
        order["apply"] = true
        return (would, head, try served.order(order), try served.order(order))
      }
      #expect(
        answers.0 == [
          "result": "would", "details": "resolve promise order-7 (\(id)), which is pending",
        ])
      #expect(answers.2["result"] == "done")
      #expect(answers.3["result"] == "refused")
      #expect(answers.3["details"]?.contains("nothing was changed") == true)
      #expect(try await ledger.record(of: id)?.outcomeKind == .fulfilled)
      await ledger.close()
      let events = try BlockingInspector(at: temporary.path).events(after: answers.1)
      // The session of the operator has the reason.
      let session = try #require(
        events.lazy.compactMap { try? $0.decode(as: SessionOpened.self) }.first)
      #expect(session.role == .operator && session.instance == "called the bank")
      #expect(events.count { $0.kind == .promiseResolved } == 1)
    }

    /// Everything is refused that the verbs of the command refuse, and what they do not even read.
    @Test func anActionThatIsNotPossibleIsRefused() async throws {
      let sample = try await StuckLedger()
      let order = sample.order
      let path = sample.path
      let head = try BlockingInspector(at: path).head
      let answers = try await ServedLedger.with(path, "--allow-actions") { served in
        let good = Self.order("resolve", order, apply: true)
        let wrong: [[String: Any]] = [
          ["reason": ""], ["reason": "  "], ["verb": "compact"], ["verb": "force"], ["value": "{"],
          ["id": "order-7"], ["id": "--help"], ["id": "\(SessionID.self)"],
          ["id": "00000000-0000-7000-8000-000000000000"],
          ["reason": String(repeating: "x", count: 2_049)],
        ]
        var answers = try wrong.map { change in
          try served.order(good.merging(["value": "7"]) { $1 }.merging(change) { $1 })
        }
        // Without a value, of work by code, and of what is over.
        answers.append(try served.order(good))
        answers.append(try served.order(Self.order("reject", StuckLedger.id(1), apply: true)))
        answers.append(try served.order(Self.order("abandon", StuckLedger.id(2), apply: false)))
        answers.append(try served.order(Self.order("invalidate", order, apply: true)))
        return answers
      }
      for answer in answers { #expect(answer["result"] == "refused", "\(answer)") }
      // Sessions may have come and gone.
      let events = try BlockingInspector(at: path).events(after: head)
      #expect(!events.contains { $0.subject == order.entityID })
      await sample.close()
    }

    /// A form cannot send this type, and a script of another page not without a question first.
    @Test(arguments: [
      (["Content-Type": "text/plain"], 415), (["Content-Type": ""], 415),
      (["Content-Type": "application/x-www-form-urlencoded"], 415),
      (["Content-Type": "application/json", "Authorization": ""], 403),
      (["Content-Type": "application/json", "Origin": "http://evil.example"], 403),
      (["Content-Type": "application/json", "Sec-Fetch-Site": "cross-site"], 403),
      (["Content-Type": "application/json", "Host": "evil.example"], 403),
    ])
    func anotherPageCannotAct(fields: [String: String], status: Int) async throws {
      let sample = try await StuckLedger()
      let head = try BlockingInspector(at: sample.path).head
      let body = """
        {"verb":"abandon","id":"\(sample.order)","reason":"evil","apply":true}
        """
      let answer = try await ServedLedger.with(sample.path, "--allow-actions") { served in
        try served.answer("POST", "/actions?token=\(served.token)", fields, body: body)
      }
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
      #expect(try BlockingInspector(at: sample.path).head == head)
      await sample.close()
    }

    @Test func withoutTheFlagNothingIsDone() async throws {
      let sample = try await StuckLedger()
      let head = try BlockingInspector(at: sample.path).head
      let body = """
        {"verb":"abandon","id":"\(sample.order)","reason":"r","apply":true}
        """
      let (page, answer) = try await ServedLedger.with(sample.path) { served in
        let page = try served.answer("GET", "/?token=\(served.token)", ["Authorization": ""])
        return (
          page,
          try served.answer("POST", "/actions", ["Content-Type": "application/json"], body: body)
        )
      }
      #expect(answer.hasPrefix("HTTP/1.1 403 ") && answer.contains("--allow-actions"))
      #expect(page.contains("\"actions\":false"))
      #expect(try BlockingInspector(at: sample.path).head == head)
      await sample.close()
    }

    /// Several operators settle one promise at once: one of them does, and the others hear that it is settled.
    @Test func ofSeveralOperatorsOneSucceeds() async throws {
      let temporary = try TemporaryLedger()
      let ledger = try await temporary.open(as: .app)
      let id = try await ledger.createPromise(key: PromiseKey("order-7"), of: Int.self).id
      let answers = try await ServedLedger.with(temporary.path, "--allow-actions") { served in
        let clients = try (0..<6).map { number in
          let body = """
            {"verb":"resolve","id":"\(id)","reason":"r","apply":true,"value":"\(number)"}
            """
          return try served.open(
            "POST", "/actions", ["Content-Type": "application/json"], body: body)
        }
        return clients.map { $0.waitForEnd() }
      }
      let winners = answers.indices.filter { answers[$0].contains("\"result\":\"done\"") }
      let losers = answers.indices.filter {
        answers[$0].contains("\"result\":\"refused\"")
          && answers[$0].contains("nothing was changed")
      }
      #expect(winners.count == 1 && losers.count == answers.count - 1, "\(answers)")
      let record = try #require(try await ledger.record(of: id))
      guard case .fulfilled(let value) = record.outcome else {
        Issue.record("\(record)")
        return
      }
      #expect(String(decoding: value.bytes, as: UTF8.self) == winners.first.map(String.init))
      await ledger.close()
      let events = try BlockingInspector(at: temporary.path).events()
      #expect(events.count { $0.kind == .promiseResolved } == 1)
    }
  }
#endif
