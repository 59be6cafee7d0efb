#if Serve
  import Foundation
  import Testing

  /// A run of `serve`, and requests to it.
  final class ServedLedger {
    let run: FollowingRun
    let port: UInt16
    let token: String

    var address: String { "http://127.0.0.1:\(port)/?token=\(token)" }
    var host: String { "127.0.0.1:\(port)" }

    convenience init(_ path: String, _ options: [String]) throws {
      try self.init(FollowingRun(["serve", path] + options))
    }

    /// - Parameter run: A run of the verb that has just begun.
    init(_ run: FollowingRun) throws {
      self.run = run
      try run.waitForOutput("\n")
      let address = try #require(
        run.output.wholeMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\/\?token=([0-9a-f]{64})\n/))
      port = try #require(UInt16(address.output.1))
      token = String(address.output.2)
    }

    /// Runs blocking work on a new server, outside Swift's few threads.
    static func with<R: Sendable>(
      _ path: String, _ options: String..., body: @escaping @Sendable (ServedLedger) throws -> R
    ) async throws -> R {
      try await onThread { Result { try body(ServedLedger(path, options)) } }.get()
    }

    /// The fields of a request that the server answers.
    var goodFields: [String: String] { ["Host": host, "Authorization": "Bearer \(token)"] }

    /// Sends a request.
    ///
    /// - Parameter fields: Instead of those of ``goodFields`` with the same names; an empty value leaves one out.
    func open(
      _ method: String = "GET", _ path: String, _ fields: [String: String] = [:], body: String = ""
    ) throws -> PageClient {
      let client = try PageClient(port: port)
      var all = goodFields.merging(fields) { $1 }
      if !body.isEmpty, all["Content-Length"] == nil {
        all["Content-Length"] = "\(body.utf8.count)"
      }
      let lines = all.filter { !$0.value.isEmpty }.map { "\($0.key): \($0.value)\r\n" }
      try client.send("\(method) \(path) HTTP/1.1\r\n\(lines.joined())\r\n\(body)")
      return client
    }

    /// The answer to a request, to its end.
    func answer(
      _ method: String = "GET", _ path: String, _ fields: [String: String] = [:], body: String = ""
    ) throws -> String {
      try open(method, path, fields, body: body).waitForEnd()
    }

    /// The answer to an order of the page.
    func order(_ members: [String: Any]) throws -> [String: String] {
      let body = try JSONSerialization.data(withJSONObject: members)
      let text = try answer(
        "POST", "/actions", ["Content-Type": "application/json", "Origin": "http://\(host)"],
        body: String(decoding: body, as: UTF8.self))
      let content = text.split(separator: "\r\n\r\n", maxSplits: 1).last ?? ""
      let value = try? JSONSerialization.jsonObject(with: Data(content.utf8))
      return try #require(value as? [String: String], "\(text)")
    }

    /// Ends the server as a person does.
    func end(by signal: Int32 = SIGINT) throws -> Int32 {
      run.signal(signal)
      return try run.end()
    }
  }
#endif
