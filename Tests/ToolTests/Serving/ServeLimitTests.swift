#if Serve
  import Foundation
  import LedgerSystem
  import PromiseLedgerTesting
  import Testing

  /// What a client can take from the server.
  @Suite(.timeLimit(.minutes(10)))
  struct ServeLimitTests {
    /// The number of sockets of the process that serves. It may have other descriptors that come late and stay, such
    /// as the timer of its first deadline.
    private static func socketCount(_ served: ServedLedger) throws -> Int {
      let directory = "/proc/\(served.run.childID)/fd"
      return try FileManager.default.contentsOfDirectory(atPath: directory).count { descriptor in
        // One that was just closed has no target.
        let target = try? FileManager.default.destinationOfSymbolicLink(
          atPath: "\(directory)/\(descriptor)")
        return target?.hasPrefix("socket:") ?? false
      }
    }

    private struct NeverHappened: Error {
      let what: String
    }

    /// Tries something again until it has a result, as it has once the server has noticed what happened.
    private static func result<R>(of what: String, _ body: () throws -> R?) throws -> R {
      let pause = WakeSemaphore()
      for _ in 0..<20_000 {
        if let result = try body() { return result }
        _ = pause.wait(timeout: .milliseconds(1))
      }
      throw NeverHappened(what: what)
    }

    /// A connection that has not sent the token gives up its place to the next one.
    @Test func silentConnectionsKeepNobodyOut() async throws {
      let sample = try await StuckLedger()
      let (page, first) = try await ServedLedger.with(sample.path) { served in
        let idle = try (0..<64).map { _ in try PageClient(port: served.port) }
        let page = try served.answer("GET", "/?token=\(served.token)", ["Authorization": ""])
        return (page, idle[0].waitForEnd())
      }
      #expect(page.hasPrefix("HTTP/1.1 200") && page.contains("</html>"))
      #expect(first == "")
      await sample.close()
    }

    @Test func connectionsAreLimited() async throws {
      let sample = try await StuckLedger()
      let (served, refused, after) = try await ServedLedger.with(sample.path) { served in
        let feeds = try (0..<64).map { _ in
          let feed = try served.open("GET", "/feed", ["Last-Event-ID": "1-0"])
          #expect(feed.wait(for: "\r\n\r\n"))
          return feed
        }
        // The server has taken those before this one by the time that it closes it.
        let refused = try PageClient(port: served.port).waitForEnd()
        for feed in feeds { feed.close() }
        // Connections that were closed make room.
        let after = try Self.result(of: "a connection after others were closed") {
          let page = try? served.answer("GET", "/?token=\(served.token)", ["Authorization": ""])
          return page.flatMap { $0.hasPrefix("HTTP/1.1 200") ? $0 : nil }
        }
        return (served.port, refused, after)
      }
      #expect(served > 0 && refused == "" && after.contains("</html>"))
      await sample.close()
    }

    #if os(Linux)
      @Test func pagesThatVanishLeaveNothing() async throws {
        let sample = try await StuckLedger()
        let (before, after) = try await ServedLedger.with(sample.path) { served in
          _ = try served.answer("GET", "/?token=\(served.token)", ["Authorization": ""])
          let before = try Self.socketCount(served)
          for _ in 0..<200 {
            // A server that has yet to notice that many others are gone refuses this one.
            let feed = try Self.result(of: "a feed after others were closed") {
              let feed = try? served.open("GET", "/feed", ["Last-Event-ID": "1-0"])
              return feed.flatMap { $0.wait(for: "\r\n\r\n") ? $0 : nil }
            }
            feed.close()
          }
          // The last ones are noticed at once, too, without anything to tell them.
          let after = try Self.result(of: "sockets of closed connections that are closed") {
            let count = try Self.socketCount(served)
            return count <= before ? count : nil
          }
          return (before, after)
        }
        #expect(before > 0 && after <= before)
        await sample.close()
      }
    #endif

    /// A client that sends nothing more is cut off, and is not answered.
    @Test func aSlowClientIsCutOff() async throws {
      let sample = try await StuckLedger()
      let said = try await ServedLedger.with(sample.path) { served in
        let client = try PageClient(port: served.port)
        try client.send("GET / HTTP/1.1\r\nHost: ")
        return client.waitForEnd()
      }
      #expect(said == "")
      await sample.close()
    }
  }
#endif
