import LedgerLibC

/// A stream socket between processes of one host. Its calls block their thread.
final class LocalSocket: Sendable {
  /// The system refused a call.
  struct Failure: Error {
    let call: String
    let number: Int32
  }

  private typealias AddressedCall = (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32

  private let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Listens at a path, at which nothing is.
  static func listening(at path: String) throws -> LocalSocket {
    let socket = unsafe try make(path, "bind") { unsafe bind($0, $1, $2) }
    guard listen(socket.descriptor, 64) == 0 else { throw Failure(call: "listen", number: errno) }
    return socket
  }

  /// Connects to the socket that listens at a path.
  static func connected(to path: String) throws -> LocalSocket {
    unsafe try make(path, "connect") { unsafe connect($0, $1, $2) }
  }

  private static func make(
    _ path: String, _ name: String, _ call: AddressedCall
  ) throws -> LocalSocket {
    #if canImport(Glibc)
      let type = Int32(SOCK_STREAM.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    let socket = LocalSocket(descriptor: socket(AF_UNIX, type, 0))
    guard socket.descriptor >= 0 else { throw Failure(call: "socket", number: errno) }
    _ = fcntl(socket.descriptor, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isShort = unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
      guard path.utf8.count < room.count else { return false }
      unsafe room.copyBytes(from: path.utf8)
      return true
    }
    guard isShort else { throw Failure(call: name, number: ENAMETOOLONG) }
    let result = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe call(socket.descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw Failure(call: name, number: errno) }
    return socket
  }

  /// The next connection; `nil` once the socket is shut down.
  func accept() -> LocalSocket? {
    while true {
      let accepted = LedgerLibC.accept(descriptor, nil, nil)
      if accepted >= 0 {
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        return LocalSocket(descriptor: accepted)
      }
      guard errno == EINTR || errno == ECONNABORTED else { return nil }
    }
  }

  /// The next bytes; empty at the end.
  func read() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
      }
      if count < 0, errno == EINTR { continue }
      return Array(bytes.prefix(max(0, count)))
    }
  }

  /// Writes all bytes, unless the other end is gone.
  func write(_ bytes: [UInt8]) {
    #if canImport(Darwin)
      let withoutSignal: Int32 = 0
    #else
      let withoutSignal = Int32(MSG_NOSIGNAL)
    #endif
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe send(
          descriptor, $0.baseAddress.map { unsafe $0 + done }, $0.count - done, withoutSignal)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      done += count
    }
  }

  /// Ends all calls, of this end and of the other one.
  func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
}
