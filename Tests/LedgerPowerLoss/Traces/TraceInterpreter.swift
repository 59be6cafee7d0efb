/// Translates system calls into their effects on the files in a directory.
struct TraceInterpreter {
  private struct OpenFile {
    let file: FileNumber
    var offset = 0
    var isSynchronous = false
    var appends = false
    /// Whether another program that the process goes on with does not have it.
    var closesOnExec = false
  }

  /// The contents of each directory while the power is on.
  private var entries: [FileNumber: [String: FileNumber]]
  private var byteCounts: [FileNumber: Int] = [:]
  private var fileCount: Int
  /// The open files of each process.
  private var openFiles: [String: [Int: OpenFile]] = [:]
  private let processes: TracedProcesses
  /// The process whose call is being understood.
  private var process = ""
  private let root: String
  private(set) var operations: [DiskOperation] = []

  /// - Parameters:
  ///   - root: The directory, as the processes name it.
  ///   - directories: Its initial contents.
  ///   - processes: The processes of the whole trace.
  init(root: String, directories: [String], processes: TracedProcesses) {
    self.root = root
    self.processes = processes
    fileCount = 1 + directories.count
    entries = [Disk.root: [:]]
    for (index, name) in directories.enumerated() {
      entries[Disk.root]?[name] = index + 1
      entries[index + 1] = [:]
    }
  }

  /// - Parameter begin: How many operations there were when the call began.
  mutating func add(_ call: TracedCall, begin: Int) throws {
    guard let result = call.result, result >= 0 else { return }
    enter(call.thread)
    switch call.name {
    case "openat", "open", "creat": try open(call, result)
    case "close": descriptors[try call.number(0)] = nil
    case "dup", "dup2", "dup3", "fcntl": try duplicate(call, result)
    case "clone", "clone3", "fork", "vfork": break
    case "execve": descriptors = descriptors.filter { !$0.value.closesOnExec }
    case "lseek": descriptors[try call.number(0)]?.offset = result
    case "write", "writev", "pwrite64", "pwritev", "pwritev2": try write(call, result)
    case "ftruncate":
      if let file = try self.file(call) { resize(file, try call.number(1)) }
    case "fallocate": try allocate(call)
    case "fsync", "fdatasync":
      if let file = try self.file(call) { sync(call.name, file, 0..<begin) }
    case "mmap": try map(call)
    case "mkdir", "mkdirat": try makeDirectory(call)
    case "unlink", "rmdir", "unlinkat": try remove(call)
    case "rename", "renameat", "renameat2": try rename(call)
    case "link", "linkat": try link(call)
    case "read", "pread64", "fstat", "newfstatat": break
    default: try refuse(call)
    }
  }

  /// A call that this model does not know must not go by.
  private func refuse(_ call: TracedCall) throws {
    let touchesFile = call.arguments.first.flatMap { Int($0) }.map { descriptors[$0] != nil }
    let isInside = call.strings.contains { String(decoding: $0, as: UTF8.self).hasPrefix(root) }
    guard touchesFile != true, !isInside else {
      throw TraceError(text: "\(call.name)(\(call.arguments)) is not modelled")
    }
  }

  // MARK: Processes

  /// The open files of the process whose call is being understood.
  private var descriptors: [Int: OpenFile] {
    get { openFiles[process, default: [:]] }
    set { openFiles[process] = newValue }
  }

  private mutating func enter(_ thread: String) {
    process = processes.process(of: thread)
    guard openFiles[process] == nil else { return }
    // A new process begins with the open files of the one that started it.
    descriptors = processes.parent(of: process).flatMap { openFiles[$0] } ?? [:]
  }

  private mutating func duplicate(_ call: TracedCall, _ descriptor: Int) throws {
    let flag = call.arguments.count > 1 ? call.arguments[1] : ""
    if call.name == "fcntl", flag == "F_SETFD" {
      descriptors[try call.number(0)]?.closesOnExec = call.arguments.last == "FD_CLOEXEC"
    }
    guard call.name != "fcntl" || flag.hasPrefix("F_DUPFD") else { return }
    var opened = descriptors[try call.number(0)]
    opened?.closesOnExec = flag == "F_DUPFD_CLOEXEC" || call.arguments.last == "O_CLOEXEC"
    descriptors[descriptor] = opened
  }

  // MARK: Files

  private func file(_ call: TracedCall) throws -> FileNumber? {
    descriptors[try call.number(0)]?.file
  }

  private mutating func open(_ call: TracedCall, _ descriptor: Int) throws {
    descriptors[descriptor] = nil
    guard let (directory, name) = try place(call, call.name == "openat" ? 0 : nil, 0) else {
      return
    }
    let flags = Set(
      call.arguments.dropFirst(call.name == "openat" ? 2 : 1).flatMap {
        $0.split(separator: "|").map(String.init)
      })
    let known = name.isEmpty ? directory : entries[directory]?[name]
    let file: FileNumber
    if flags.contains("O_TMPFILE") {
      file = make(isDirectory: false)
    } else if let known {
      file = known
      if flags.contains("O_TRUNC") { resize(file, 0) }
    } else {
      guard flags.contains("O_CREAT") else {
        throw TraceError(text: "\(name) was opened, and nothing is known to be there")
      }
      file = make(isDirectory: false)
      enter(file, name, directory)
    }
    descriptors[descriptor] = OpenFile(
      file: file, isSynchronous: flags.contains("O_DSYNC") || flags.contains("O_SYNC"),
      appends: flags.contains("O_APPEND"), closesOnExec: flags.contains("O_CLOEXEC"))
  }

  private mutating func write(_ call: TracedCall, _ count: Int) throws {
    let descriptor = try call.number(0)
    guard var opened = descriptors[descriptor] else {
      if descriptor == 1, let line = call.strings.first {
        operations.append(.say(String(decoding: line, as: UTF8.self)))
      }
      return
    }
    let bytes = Array(call.strings.joined().prefix(count))
    guard bytes.count == count else {
      throw TraceError(text: "\(call.name) wrote \(count) bytes, and the trace has \(bytes.count)")
    }
    var offset = opened.offset
    if call.name.hasPrefix("pwrite") {
      guard let last = call.arguments.last, let number = Int(last) else {
        throw TraceError(text: "\(call.name)(\(call.arguments)) has no offset")
      }
      offset = number
    } else {
      if opened.appends { offset = byteCounts[opened.file] ?? 0 }
      opened.offset = offset + count
      descriptors[descriptor] = opened
    }
    operations.append(.write(opened.file, offset: offset, bytes: bytes))
    byteCounts[opened.file] = max(byteCounts[opened.file] ?? 0, offset + count)
    // Other writes that wait are not synced with it.
    let own = operations.count - 1..<operations.count
    if opened.isSynchronous { sync("O_DSYNC", opened.file, own) }
  }

  private mutating func resize(_ file: FileNumber, _ byteCount: Int) {
    byteCounts[file] = byteCount
    operations.append(.resize(file, byteCount))
  }

  private mutating func allocate(_ call: TracedCall) throws {
    guard let file = try file(call) else { return }
    guard call.arguments[1] == "0" else {
      throw TraceError(text: "fallocate(\(call.arguments)) is not modelled")
    }
    let end = try call.number(2) + call.number(3)
    if end > byteCounts[file] ?? 0 { resize(file, end) }
  }

  private mutating func sync(_ call: String, _ file: FileNumber, _ synced: Range<Int>) {
    let path = path(of: file, below: Disk.root) ?? ["removed"]
    operations.append(.sync(file, synced, SyncClass(call, path: path)))
  }

  private mutating func map(_ call: TracedCall) throws {
    guard call.arguments.count == 6, let descriptor = Int(call.arguments[4]),
      let file = descriptors[descriptor]?.file, call.arguments[3].contains("MAP_SHARED"),
      call.arguments[2].contains("PROT_WRITE")
    else { return }
    operations.append(.share(file))
  }

  // MARK: Names

  private mutating func make(isDirectory: Bool) -> FileNumber {
    let file = fileCount
    fileCount += 1
    if isDirectory { entries[file] = [:] }
    operations.append(.make(file, isDirectory: isDirectory))
    return file
  }

  private mutating func enter(_ file: FileNumber, _ name: String, _ directory: FileNumber) {
    entries[directory]?[name] = file
    operations.append(.enter(file, name: name, in: directory))
  }

  private mutating func makeDirectory(_ call: TracedCall) throws {
    let at = call.name == "mkdirat" ? 0 : nil
    guard let (directory, name) = try place(call, at, 0) else { return }
    enter(make(isDirectory: true), name, directory)
  }

  private mutating func remove(_ call: TracedCall) throws {
    let at = call.name == "unlinkat" ? 0 : nil
    guard let (directory, name) = try place(call, at, 0) else { return }
    entries[directory]?[name] = nil
    operations.append(.leave(name: name, in: directory))
  }

  private mutating func link(_ call: TracedCall) throws {
    guard let (from, to) = try places(call, isAt: call.name == "linkat") else { return }
    // The path of an open file may lead to one that has no name yet.
    let known = from.name.isEmpty ? from.directory : entries[from.directory]?[from.name]
    guard let file = known else { throw TraceError(text: "nothing is known at \(from.name)") }
    enter(file, to.name, to.directory)
  }

  private mutating func rename(_ call: TracedCall) throws {
    guard let (from, to) = try places(call, isAt: call.name != "rename") else { return }
    guard from.directory == to.directory, !call.arguments.contains("RENAME_EXCHANGE") else {
      throw TraceError(text: "a rename between directories, or an exchange, is not modelled")
    }
    let file = entries[from.directory]?.removeValue(forKey: from.name)
    entries[from.directory]?[to.name] = file
    operations.append(.rename(from: from.name, to: to.name, in: from.directory))
  }

  private typealias Place = (directory: FileNumber, name: String)

  /// Where both paths of a call lead to; `nil` outside of the directory.
  private func places(_ call: TracedCall, isAt: Bool) throws -> (from: Place, to: Place)? {
    let (from, to) = (try place(call, isAt ? 0 : nil, 0), try place(call, isAt ? 2 : nil, 1))
    guard let from, let to else {
      guard from == nil, to == nil else {
        throw TraceError(text: "\(call.name) into the directory or out of it is not modelled")
      }
      return nil
    }
    return (from, to)
  }

  /// Where a path of a call leads to.
  ///
  /// - Parameters:
  ///   - at: Which argument is the descriptor that a relative path begins at.
  ///   - string: Which of the strings it is.
  /// - Returns: `nil` outside of the directory; with an empty name for a directory itself.
  private func place(
    _ call: TracedCall, _ at: Int?, _ string: Int
  ) throws -> Place? {
    let path = try call.path(string)
    var names = path.split(separator: "/").map(String.init)
    var directory = Disk.root
    if names.starts(with: ["proc", "self", "fd"]), names.count > 3 {
      guard let start = Int(names[3]).flatMap({ descriptors[$0]?.file }) else { return nil }
      directory = start
      names.removeFirst(4)
    } else if path.hasPrefix("/") {
      guard path == root || path.hasPrefix(root + "/") else { return nil }
      names = path.dropFirst(root.count).split(separator: "/").map(String.init)
    } else {
      guard let at, let start = Int(call.arguments[at]).flatMap({ descriptors[$0]?.file }) else {
        return nil
      }
      directory = start
    }
    names.removeAll { $0 == "." }
    guard !names.contains("..") else { throw TraceError(text: "\(path) is not modelled") }
    guard let name = names.popLast() else { return (directory, "") }
    for inner in names {
      guard let next = entries[directory]?[inner] else {
        throw TraceError(text: "\(call.name): nothing is known at \(path)")
      }
      directory = next
    }
    return (directory, name)
  }

  private func path(of file: FileNumber, below directory: FileNumber) -> [String]? {
    if file == directory { return [] }
    for (name, inner) in entries[directory] ?? [:] {
      if let rest = path(of: file, below: inner) { return [name] + rest }
    }
    return nil
  }
}

extension TraceInterpreter {
  /// The operations in the output of strace.
  static func operations(
    of trace: [UInt8], root: String, directories: [String]
  ) throws -> [DiskOperation] {
    var reader = TraceReader()
    let lines = try trace.split(separator: UInt8(ascii: "\n")).map { try reader.read($0) }
    var processes = TracedProcesses()
    for case .call(let call, _) in lines { try processes.note(call) }
    var interpreter = TraceInterpreter(
      root: root, directories: directories, processes: processes)
    var begins: [String: Int] = [:]
    for line in lines {
      switch line {
      case .other: break
      case .begin(let thread): begins[thread] = interpreter.operations.count
      case .call(let call, let beganBefore):
        let now = interpreter.operations.count
        try interpreter.add(call, begin: beganBefore ? begins[call.thread] ?? now : now)
      }
    }
    return interpreter.operations
  }
}
