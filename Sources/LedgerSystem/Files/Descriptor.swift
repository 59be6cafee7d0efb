#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The system calls on file descriptors, with signals handled and errors thrown.
enum Descriptor {
  /// Opens a file that programs started by this process do not inherit.
  static func open(
    _ path: String, _ flags: Int32, mode: UInt32 = 0
  ) throws(SystemError) -> Int32 {
    while true {
      let descriptor = systemOpen(path, flags | O_CLOEXEC, mode_t(mode))
      if descriptor >= 0 { return descriptor }
      if errno != EINTR { throw SystemError.last("open", path: path) }
    }
  }

  /// Opens a regular file that is not reached by a symbolic link of that name, and makes it if the
  /// flags say so. A pipe or a device never holds up the caller.
  ///
  /// - Throws: `.notRegularFile` if something else has the name.
  static func openRegular(
    _ path: String, _ flags: Int32, mode: UInt32 = 0
  ) throws(SystemError) -> Int32 {
    let descriptor: Int32
    do throws(SystemError) {
      descriptor = try open(path, flags | O_NOFOLLOW | O_NONBLOCK, mode: mode)
    } catch {
      // The system has a code of its own for every other thing that cannot be opened like this.
      var status = stat()
      guard unsafe lstat(path, &status) == 0, FileKind(status) != .file else { throw error }
      throw SystemError(.notRegularFile, "open", path: path)
    }
    return try requireRegular(descriptor, path: path)
  }

  /// Closes what is not a regular file.
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

  /// Opens or makes a file of a ledger, in the directory that the path leads to.
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

  /// Closes it, once: after EINTR the descriptor is gone on Linux, and may be somebody else's.
  static func close(_ descriptor: Int32) {
    _ = systemClose(descriptor)
  }

  /// Writes all bytes at an offset of the file.
  static func write(
    _ bytes: [UInt8], to descriptor: Int32, at offset: Int = 0, path: String
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
    // The size only saves memory: the file may change, and some files do not know their size.
    var status = stat()
    if unsafe fstat(descriptor, &status) == -1 { throw SystemError.last("fstat", path: path) }
    var bytes: [UInt8] = []
    var capacity = min(max(Int(clamping: status.st_size), 4096), max(maximumBytes, 0))
    while bytes.count < maximumBytes {
      let start = bytes.count
      bytes.append(contentsOf: repeatElement(0, count: capacity - start))
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe pread(
          descriptor, $0.baseAddress.map { unsafe $0 + start }, $0.count - start, off_t(start))
      }
      let code = errno
      bytes.removeLast(bytes.count - start - max(count, 0))
      if count == 0 { break }
      if count < 0 && code != EINTR {
        throw SystemError(.init(rawValue: code), "pread", path: path)
      }
      if bytes.count == capacity { capacity = min(capacity * 2, maximumBytes) }
    }
    return bytes
  }
}

// Outside of the type, whose methods have the same names.

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  unsafe open(path, flags, mode)
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
