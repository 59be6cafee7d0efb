#if Serve
  import FlyingSocks
  import Foundation

  #if canImport(Glibc)
    import Glibc
  #endif

  /// The page that a server sent. Loading it blocks.
  struct LoadedPage {
    /// What was sent; `nil` if the connection ended before the page did.
    let content: [UInt8]?

    /// - Parameter address: The address that the server printed.
    init(_ address: String) throws {
      guard let address = URLComponents(string: address), let host = address.host,
        let port = address.port.flatMap(UInt16.init(exactly:)), let query = address.query
      else { throw CocoaError(.formatting) }
      let socket = try Socket(domain: AF_INET)
      defer { try? socket.close() }
      try socket.connect(to: .inet(ip4: host, port: port))
      let request = Data("GET /?\(query) HTTP/1.1\r\nHost: \(host):\(port)\r\n\r\n".utf8)
      var sent = 0
      while sent < request.count { sent = try socket.write(request, from: sent) }
      var received: [UInt8] = []
      while let bytes = try? socket.read(atMost: 1 << 16), !bytes.isEmpty { received += bytes }
      content = Self.content(of: received[...])
    }

    /// The content of a chunked answer that is complete.
    private static func content(of answer: ArraySlice<UInt8>) -> [UInt8]? {
      var rest = answer
      while let line = takeLine(of: &rest), !line.isEmpty {}
      var content: [UInt8] = []
      while let line = takeLine(of: &rest), let count = Int(line, radix: 16), count <= rest.count {
        guard count > 0 else { return content }
        content += rest.prefix(count)
        rest = rest.dropFirst(count)
        guard takeLine(of: &rest) == "" else { return nil }
      }
      return nil
    }

    private static func takeLine(of bytes: inout ArraySlice<UInt8>) -> String? {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      defer { bytes = bytes[(end + 1)...] }
      return String(decoding: bytes[..<end], as: UTF8.self)
        .trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }
#endif
