#if Serve
  import FlyingSocks
  import Foundation
  import Testing

  #if canImport(Glibc)
    import Glibc
  #endif

  /// Which requests the server of the live page answers.
  @Suite(.timeLimit(.minutes(10)))
  struct ServeGateTests {
    struct Refused: CustomTestStringConvertible, Sendable {
      let testDescription: String
      var method = "GET"
      var path = "/feed"
      var fields: [String: String] = [:]
      var body = ""
      var status = 403
      var words = ""
    }

    static let refused = [
      Refused(testDescription: "no token", fields: ["Authorization": ""], words: "token"),
      Refused(
        testDescription: "a wrong token",
        fields: ["Authorization": "Bearer \(String(repeating: "0", count: 64))"], words: "token"),
      Refused(
        testDescription: "the beginning of the token", fields: ["Authorization": "Bearer TOKEN8"],
        words: "token"),
      Refused(
        testDescription: "a token in the address of the feed", path: "/feed?token=TOKEN",
        fields: ["Authorization": ""], words: "token"),
      Refused(
        testDescription: "a page without a token", path: "/", fields: ["Authorization": ""],
        words: "token"),
      Refused(
        testDescription: "a page with a wrong token", path: "/?token=1",
        fields: ["Authorization": ""], words: "token"),
      Refused(
        testDescription: "a rebound host", fields: ["Host": "evil.example"], words: "host"),
      Refused(
        testDescription: "a rebound host with the port", path: "/?token=TOKEN",
        fields: ["Host": "evil.example:PORT"], words: "host"),
      Refused(testDescription: "another port", fields: ["Host": "127.0.0.1:1"], words: "host"),
      Refused(testDescription: "no port", fields: ["Host": "127.0.0.1"], words: "host"),
      Refused(testDescription: "no host", fields: ["Host": ""], words: "host"),
      Refused(
        testDescription: "another origin", fields: ["Origin": "http://evil.example"],
        words: "another page"),
      Refused(
        testDescription: "another server of this machine",
        fields: ["Origin": "http://127.0.0.1:1"], words: "another page"),
      Refused(testDescription: "a sandbox", fields: ["Origin": "null"], words: "another page"),
      Refused(
        testDescription: "another site", fields: ["Sec-Fetch-Site": "cross-site"],
        words: "another page"),
      Refused(
        testDescription: "a page of the same site", path: "/?token=TOKEN",
        fields: ["Sec-Fetch-Site": "same-site"], words: "another page"),
      Refused(testDescription: "another path", path: "/other", status: 404),
      Refused(testDescription: "another method", method: "DELETE", path: "/", status: 405),
      Refused(
        testDescription: "the head of the page", method: "HEAD", path: "/?token=TOKEN",
        fields: ["Authorization": ""], status: 405),
      Refused(testDescription: "a feed that is posted", method: "POST", status: 405),
      Refused(testDescription: "actions that are got", path: "/actions", status: 405),
      Refused(
        testDescription: "a preflight", method: "OPTIONS", path: "/actions", status: 405),
      Refused(
        testDescription: "an action on a page for looking", method: "POST", path: "/actions",
        fields: ["Content-Type": "application/json"], body: "{}", words: "--allow-actions"),
      Refused(
        testDescription: "a body in pieces", fields: ["Transfer-Encoding": "chunked"], status: 400),
      Refused(testDescription: "a negative length", fields: ["Content-Length": "-1"], status: 400),
      Refused(
        testDescription: "a long body", method: "POST", path: "/actions",
        fields: ["Content-Length": "65537"], status: 413),
      Refused(
        testDescription: "long fields", fields: ["X": String(repeating: "x", count: 20_000)],
        status: 431),
      Refused(
        testDescription: "a field twice", fields: ["host": "127.0.0.1:PORT"], status: 400),
      Refused(
        testDescription: "a second request", fields: ["X": "1\r\n\r\nGET / HTTP/1.1"], status: 400),
    ]

    @Test(arguments: refused)
    func everythingElseIsRefused(refused: Refused) async throws {
      let sample = try await StuckLedger()
      let answer = try await ServedLedger.with(sample.path) { served in
        func filled(_ text: String) -> String {
          text.replacing("TOKEN8", with: served.token.prefix(8))
            .replacing("TOKEN", with: served.token).replacing("PORT", with: "\(served.port)")
        }
        return try served.answer(
          refused.method, filled(refused.path), refused.fields.mapValues(filled),
          body: refused.body)
      }
      #expect(
        answer.hasPrefix("HTTP/1.1 \(refused.status) ")
          && (refused.words.isEmpty || answer.contains(refused.words)),
        "\(answer)")
      #expect(!answer.contains(sample.path))
      #expect(answer.hasSuffix("\r\n\r\n") == (refused.method == "HEAD"), "its body")
      await sample.close()
    }

    @Test(arguments: [
      ["Host": "127.0.0.1:PORT"], ["Host": "localhost:PORT"], ["Host": "[::1]:PORT"],
      ["Origin": "http://127.0.0.1:PORT"], ["Sec-Fetch-Site": "same-origin"],
      ["Sec-Fetch-Site": "none"],
    ])
    func thePageItselfIsAnswered(fields: [String: String]) async throws {
      let sample = try await StuckLedger()
      let page = try await ServedLedger.with(sample.path) { served in
        let own = fields.mapValues { $0.replacing("PORT", with: "\(served.port)") }
        return try served.answer(
          "GET", "/?token=\(served.token)", own.merging(["Authorization": ""]) { $1 })
      }
      #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n"))
      for field in [
        "Cache-Control: no-store", "Referrer-Policy: no-referrer",
        "X-Content-Type-Options: nosniff", "X-Frame-Options: DENY", "frame-ancestors 'none'",
        "connect-src 'self'", "default-src 'none'", "Connection: close",
      ] {
        #expect(page.contains(field), "\(field)")
      }
      #expect(!page.contains("Access-Control-Allow-Origin") && !page.contains("Set-Cookie"))
      #expect(!page.contains("unsafe-inline"))
      #expect(page.contains("</html>\n"))
      await sample.close()
    }

    /// An address without a port has this one, and so have the fields of a browser's request.
    private static let usualPort: UInt16 = 80

    private static var canTakeUsualPort: Bool {
      guard let socket = try? Socket(domain: AF_INET) else { return false }
      defer { try? socket.close() }
      return (try? socket.bind(to: .inet(ip4: "127.0.0.1", port: usualPort))) != nil
    }

    @Test(.enabled(if: canTakeUsualPort, "only some users may take this port"))
    func theUsualPortIsLeftOutByBrowsers() async throws {
      let sample = try await StuckLedger()
      let port = "\(Self.usualPort)"
      let pages = try await ServedLedger.with(sample.path, "--port", port) { served in
        try ["127.0.0.1", "localhost", "127.0.0.1:80"].map { host in
          try served.answer(
            "GET", "/", ["Host": host, "Origin": "http://\(host)", "Sec-Fetch-Site": "same-origin"])
        }
      }
      for page in pages { #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(page.prefix(400))") }
      await sample.close()
    }
  }
#endif
