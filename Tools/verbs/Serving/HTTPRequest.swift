#if Serve
  /// A request to the server, of the small part of HTTP/1.1 that it understands.
  ///
  /// Each connection has one request, so nothing can hide a second one behind the first. What a browser does not
  /// send is refused: a field twice, a line that goes on, a body without its length.
  struct HTTPRequest: Sendable {
    /// The maximum size of the request line and all fields, in bytes.
    static let largestHead = 16 << 10
    /// The maximum size of the body, in bytes.
    static let largestBody = 64 << 10

    let method: String
    let path: String
    /// The names and values after the question mark, as they are written.
    let query: [String: String]
    /// The values of the fields, by their names in lower case.
    let fields: [String: String]
    var body: [UInt8] = []

    /// The length of the body, in bytes.
    let bodyByteCount: Int

    /// - Parameter head: All bytes before the empty line.
    /// - Throws: ``HTTPAnswer/Refusal``.
    init(head: [UInt8]) throws(HTTPAnswer.Refusal) {
      // Swift takes a carriage return and a line feed for one character.
      let lines = String(decoding: head, as: UTF8.self)
        .split(separator: "\r\n", omittingEmptySubsequences: false)
      let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
      guard words.count == 3, words[2] == "HTTP/1.1", words[1].hasPrefix("/"),
        lines[0].unicodeScalars.allSatisfy({ $0.value > 31 && $0.value < 127 })
      else { throw .malformed }
      method = String(words[0])
      let target = words[1].split(
        separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
      path = String(target[0])
      query = target.count == 1 ? [:] : Self.query(target[1])
      var fields: [String: String] = [:]
      for line in lines.dropFirst() {
        guard line.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 || $0 == "\t" }),
          let colon = line.firstIndex(of: ":"),
          case let name = line[..<colon].lowercased(), !name.isEmpty,
          !name.contains(where: \.isWhitespace), fields[name] == nil
        else { throw .malformed }
        let value = line[line.index(after: colon)...]
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        fields[name] = String(
          value.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
      }
      self.fields = fields
      guard fields["transfer-encoding"] == nil else { throw .malformed }
      let length = fields["content-length"] ?? "0"
      guard (1...9).contains(length.utf8.count), length.utf8.allSatisfy({ (48...57).contains($0) }),
        let count = Int(length)
      else { throw .malformed }
      guard count <= Self.largestBody else { throw .tooLarge }
      bodyByteCount = count
    }

    private static func query(_ text: Substring) -> [String: String] {
      text.split(separator: "&").reduce(into: [:]) { query, item in
        let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        query[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
      }
    }
  }
#endif
