import CLedgerSystem
import LedgerLibC

/// Facts that the operating system reports about this process and its neighbours.
package enum ThisProcess {
  /// The process id, read each time, so that a forked copy sees its own.
  package static var id: Int32 { getpid() }

  /// The name of the machine or container, or the empty string.
  package static var hostName: String {
    var buffer = [CChar](repeating: 0, count: 256)
    let result = unsafe gethostname(&buffer, buffer.count - 1)
    if result != 0 { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The value of an environment variable; `nil` if it is not set.
  package static func environmentVariable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// The address space in bytes that is needed by the threads of a process that uses all
  /// processors.
  private static var threadAddressSpace: Int {
    let processorCount = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    // The shell may limit the stack to any number. A limit that the system has no room for counts
    // too.
    let stack = min(Int(clamping: cledger_thread_default_stack()), .max / 4)
    // glibc reserves this much for each thread's allocations, and goes without it only if it must.
    let heap = 64 << 20
    let stacks = (processorCount + 2) * (min(stack, 1 << 30) + heap)
    return max(stack, min(stacks, 1 << 30))
  }

  /// Makes sure that tasks can run. Swift's thread pool waits for ever if the system has no room
  /// for the stack of a thread.
  ///
  /// - Throws: `SystemError` with `noMemory` if there is less address space than
  ///   ``threadAddressSpace``.
  package static func checkRoomForTasks() throws(SystemError) {
    let byteCount = threadAddressSpace
    let room = unsafe mmap(nil, byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0)
    guard let room = unsafe room, unsafe room != MAP_FAILED else { throw SystemError.last("mmap") }
    unsafe munmap(room, byteCount)
  }

  /// The number of the first argument that is not UTF-8, which decoding would change; 1 is the one
  /// after the program's name.
  package static var firstArgumentThatIsNoText: Int? {
    let count = Int(CommandLine.argc)
    return (0..<count).dropFirst().first { index in
      guard let argument = unsafe CommandLine.unsafeArgv[index] else { return false }
      return unsafe String(validatingCString: argument) == nil
    }
  }

  /// Whether a process of this id runs, as far as this process can see. On Linux a process that has
  /// ended does not count, even if its parent has not collected it yet.
  package static func isAlive(_ id: Int32) -> Bool {
    // kill(2) takes 0 and negative numbers for groups of processes.
    if id <= 0 { return false }
    if kill(id, 0) != 0 && errno != EPERM { return false }
    guard let state = statusFields(of: id)?.first else { return true }
    return state != "Z" && state != "X"
  }

  /// The time when the process started, in clock ticks since the machine started, or on Apple
  /// platforms in microseconds since 1970. It distinguishes two processes that had the same id. Nil
  /// if there is no such process, or if this one may not see it.
  package static func startTime(of id: Int32) -> UInt64? {
    let start = cledger_process_start(id)
    if start != 0 { return start }
    guard let fields = statusFields(of: id), fields.count > 19 else { return nil }
    return UInt64(fields[19])
  }

  /// The fields of `/proc/ID/stat` from the third, the state, on (proc(5)).
  private static func statusFields(of id: Int32) -> [Substring]? {
    guard let bytes = try? FileSystem.readPrefix("/proc/\(id)/stat", maximumBytes: 4096),
      // The second field is a program's name in parentheses, with any characters.
      let nameEnd = bytes.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    return String(decoding: bytes[(nameEnd + 1)...], as: UTF8.self).split(separator: " ")
  }
}
