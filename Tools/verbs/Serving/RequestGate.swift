#if Serve
  /// Decides which requests the server looks at.
  ///
  /// Any web page that a person visits can send requests to this machine, and any program on it can, whoever runs
  /// it. So a request must name this server as its host, which a name that was rebound to this machine does not;
  /// come from the page itself, if the browser says where it comes from; and have the token.
  ///
  /// The token is in no cookie: a browser sends the cookies of one server on this machine to all of them,
  /// whatever their port.
  struct RequestGate: Sendable {
    let port: UInt16
    let token: AccessToken

    /// - Throws: ``HTTPAnswer/Refusal``.
    func check(_ request: HTTPRequest) throws(HTTPAnswer.Refusal) {
      guard let host = request.fields["host"], hosts.contains(host) else {
        throw .forbidden("The request is for another host.")
      }
      if let origin = request.fields["origin"], origin != "http://\(host)" {
        throw .forbidden("The request comes from another page.")
      }
      if let site = request.fields["sec-fetch-site"], !["same-origin", "none"].contains(site) {
        throw .forbidden(
          "The request comes from another page. Enter the address, rather than follow a link to it."
        )
      }
      guard let given = Self.token(of: request), token.matches(given) else {
        throw .forbidden(
          "The token is missing or wrong. Open the address that \(Program.tool.name) serve printed."
        )
      }
    }

    private var hosts: [String] {
      let names = ["127.0.0.1", "localhost", "[::1]"]
      // Browsers leave out the port that addresses have by default.
      return names.map { "\($0):\(port)" } + (port == 80 ? names : [])
    }

    /// The token is in the address of the page. Its script sends it in a field, which no other page can make a
    /// browser send without asking this server first.
    private static func token(of request: HTTPRequest) -> String? {
      if let field = request.fields["authorization"] {
        return field.hasPrefix("Bearer ") ? String(field.dropFirst(7)) : nil
      }
      guard ["GET", "HEAD"].contains(request.method), request.path == "/" else { return nil }
      return request.query["token"]
    }
  }
#endif
