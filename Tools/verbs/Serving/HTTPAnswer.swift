#if Serve
  /// The beginning of an answer: its status and fields.
  struct HTTPAnswer: Sendable {
    /// An answer to a request that is not served.
    struct Refusal: Error, Equatable {
      let status: String
      let message: String
      /// The methods that a path has, if the one of the request is not among them.
      var methods: String?

      static let malformed = Refusal(
        status: "400 Bad Request", message: "The request is not one that this server understands.")
      static let tooLarge = Refusal(
        status: "413 Content Too Large", message: "The request is too large.")
      static let tooManyFields = Refusal(
        status: "431 Request Header Fields Too Large", message: "The request is too large.")
      static let notFound = Refusal(status: "404 Not Found", message: "There is no such page.")

      static func forbidden(_ message: String) -> Refusal {
        Refusal(status: "403 Forbidden", message: message)
      }

      static func methodNotAllowed(_ methods: String) -> Refusal {
        Refusal(
          status: "405 Method Not Allowed", message: "The path takes only \(methods).",
          methods: methods)
      }
    }

    /// What every answer says: nothing of it is kept, framed, guessed at, or told to others.
    private static let fields = [
      "Cache-Control: no-store", "Connection: close", "Cross-Origin-Opener-Policy: same-origin",
      "Cross-Origin-Resource-Policy: same-origin", "Referrer-Policy: no-referrer",
      "X-Content-Type-Options: nosniff", "X-Frame-Options: DENY",
    ]

    let bytes: [UInt8]

    /// - Parameter policy: The content security policy; by default, nothing is allowed.
    private init(
      _ status: String, _ type: String,
      policy: String = "default-src 'none'", _ more: [String]
    ) {
      let own = [
        "Content-Type: \(type)", "Content-Security-Policy: \(policy); frame-ancestors 'none'",
      ]
      let lines = ["HTTP/1.1 \(status)"] + own + Self.fields + more
      bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// The beginning of an answer whose body comes in chunks.
    static func chunked(_ type: String, policy: String = "default-src 'none'") -> HTTPAnswer {
      HTTPAnswer("200 OK", type, policy: policy, ["Transfer-Encoding: chunked"])
    }

    /// A whole answer.
    static func whole(_ type: String, _ body: [UInt8]) -> [UInt8] {
      HTTPAnswer("200 OK", type, ["Content-Length: \(body.count)"]).bytes + body
    }

    /// A whole answer to a request that is not served.
    ///
    /// - Parameter isHead: Whether the method is HEAD, to which an answer has no body.
    static func refused(_ refusal: Refusal, isHead: Bool) -> [UInt8] {
      let body = Array("\(refusal.message)\n".utf8)
      let allowed = refusal.methods.map { ["Allow: \($0)"] } ?? []
      return HTTPAnswer(
        refusal.status, "text/plain; charset=utf-8", ["Content-Length: \(body.count)"] + allowed
      ).bytes + (isHead ? [] : body)
    }
  }
#endif
