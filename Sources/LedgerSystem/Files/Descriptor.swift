internal import CLedgerSystem
import LedgerLibC

/// The system calls on file descriptors, with signals handled and errors thrown.
package enum Descriptor {
  /// Opens a file that programs started by this process do not inherit.
  package static func open(
    _ path: String, _ flags: Int32, mode: UInt32 = 0
  ) throws(SystemError) -> Int32 {
    while true {
      let descriptor = systemOpen(path, flags | O_CLOEXEC, mode_t(mode))
      if descriptor >= 0 { return descriptor }
      if errno != EINTR { throw SystemError.last("open", path: path) }
    }
  }

  /// Opens a regular file. A symbolic link of that name is not followed. A pipe or a device never
  /// holds up the caller.
  ///
  /// - Throws: `.notRegularFile` if something else has the name.
  package static func openRegular(
    _ path: String, _ flags: Int32 = O_RDONLY
  ) throws(SystemError) -> Int32 {
    let descriptor: Int32
    do throws(SystemError) {
      descriptor = try open(path, flags | O_NOFOLLOW | O_NONBLOCK)
    } catch {
      // The system has a specific code for everything else that cannot be opened like this.
      var status = stat()
      guard unsafe lstat(path, &status) == 0, FileKind(status) != .file else { throw error }
      throw SystemError(.notRegularFile, "open", path: path)
    }
    return try requireRegular(descriptor, path: path)
  }

  /// Closes a descriptor that does not refer to a regular file.
  ///
  /// - Throws: `.notRegularFile`.
  static func requireRegular(
    _ descriptor: Int32, path: String
  ) throws(SystemError) -> Int32 {
    do throws(SystemError) {
      guard try FileFacts(of: descriptor, path: path).kind == .file else {
        throw SystemError(.notRegularFile, "open", path: path)
      }
    } catch {
      close(descriptor)
      throw error
    }
    return descriptor
  }

  /// Opens or creates a file of a ledger, in the directory that the path leads to.
  static func openShared(
    _ path: String, _ flags: Int32, mode: UInt32
  ) throws(SystemError) -> Int32 {
    let directory: DirectoryHandle
    do throws(SystemError) {
      directory = try DirectoryHandle(FileSystem.parent(of: path))
    } catch {
      throw SystemError(error.code, "open", path: path)
    }
    return try directory.openShared(FileSystem.lastComponent(of: path), flags, mode: mode)
  }

  /// `flock` without waiting; `false` while another open file has the lock.
  static func tryLock(
    _ descriptor: Int32, isExclusive: Bool = true, path: String
  ) throws(SystemError) -> Bool {
    let code = cledger_flock_try(descriptor, isExclusive)
    if code == EWOULDBLOCK { return false }
    try SystemError.check(code, "flock", path: path)
    return true
  }

  /// Closes it, once: after EINTR the descriptor is gone on Linux, and may already be in use again.
  package static func close(_ descriptor: Int32) {
    _ = systemClose(descriptor)
  }

  /// Writes all bytes at an offset of the file.
  static func write(
    _ bytes: [UInt8], to descriptor: Int32, at offset: Int = 0, path: String
  ) throws(SystemError) {
    try write(bytes[...], to: descriptor, at: offset, path: path)
  }

  /// Writes all bytes at an offset of the file.
  package static func write(
    _ bytes: ArraySlice<UInt8>, to descriptor: Int32, at offset: Int, path: String
  ) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe pwrite(
          descriptor, $0.baseAddress.map { unsafe $0 + done }, $0.count - done, off_t(offset + done)
        )
      }
      if count > 0 {
        done += count
      } else if count == 0 {
        throw SystemError(.inputOutput, "pwrite", path: path)
      } else if errno != EINTR {
        throw SystemError.last("pwrite", path: path)
      }
    }
  }

  /// Reads from the start of the file to its end, but no more than `maximumBytes`.
  static func read(
    from descriptor: Int32, maximumBytes: Int, path: String
  ) throws(SystemError) -> [UInt8] {
    // The size only saves memory: the file may change, and some files do not report their size.
    let size = try FileFacts(of: descriptor, path: path).byteCount
    var bytes: [UInt8] = []
    var capacity = min(max(Int(clamping: size), 4096), max(maximumBytes, 0))
    while bytes.count < maximumBytes {
      let missing = capacity - bytes.count
      let more = try read(missing, from: descriptor, at: UInt64(bytes.count), path: path)
      bytes += more
      if more.count < missing { break }
      capacity = min(capacity * 2, maximumBytes)
    }
    return bytes
  }

  /// Reads from an offset of the file; fewer bytes only if it ends before.
  package static func read(
    _ count: Int, from descriptor: Int32, at offset: UInt64, path: String
  ) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let result = unsafe bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(SystemError) in
        try unsafe fill(buffer, from: descriptor, at: offset, path: path)
      }
    }
    bytes.removeLast(count - (try result.get()))
    return bytes
  }

  /// Fills memory from an offset of the file.
  ///
  /// - Returns: The number of bytes read; fewer than requested only at the end of the file.
  package static func fill(
    _ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, at offset: UInt64, path: String
  ) throws(SystemError) -> Int {
    var filled = 0
    while filled < buffer.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let place = off_t(clamping: offset) + off_t(filled)
      let count = unsafe pread(descriptor, rest.baseAddress, rest.count, place)
      if count < 0 {
        if errno == EINTR { continue }
        throw SystemError.last("pread", path: path)
      }
      if count == 0 { break }
      filled += count
    }
    return filled
  }
}

// Outside the type, which has methods of the same names.

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  unsafe open(path, flags, mode)
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
