#if Serve
  import FlyingSocks
  import Foundation

  #if canImport(Glibc)
    import Glibc
  #endif

  /// A program that talks to the server of the live page, byte by byte. Its calls block.
  final class PageClient {
    private let socket: Socket
    private(set) var received = ""
    private var isOpen = true

    init(port: UInt16) throws {
      socket = try Socket(domain: AF_INET)
      try socket.connect(to: .inet(ip4: "127.0.0.1", port: port))
    }

    deinit { close() }

    func close() {
      // Its descriptor may be that of another file once it is closed.
      if isOpen { try? socket.close() }
      isOpen = false
    }

    func send(_ text: String) throws {
      let data = Data(text.utf8)
      var sent = 0
      while sent < data.count { sent = try socket.write(data, from: sent) }
    }

    /// Reads until a text has come.
    ///
    /// - Returns: Whether it has come before the end.
    func wait(for text: String) -> Bool {
      while !received.contains(text) {
        guard let bytes = try? socket.read(atMost: 1 << 16), !bytes.isEmpty else { return false }
        received += String(decoding: bytes, as: UTF8.self)
      }
      return true
    }

    /// Reads to the end of the connection.
    func waitForEnd() -> String {
      while let bytes = try? socket.read(atMost: 1 << 16), !bytes.isEmpty {
        received += String(decoding: bytes, as: UTF8.self)
      }
      return received
    }
  }
#endif
