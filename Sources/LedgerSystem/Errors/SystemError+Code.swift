import LedgerLibC

extension SystemError {
  /// An `errno` number, with English names for those that a ledger meets.
  package struct Code: RawRepresentable, Hashable, Sendable {
    /// The platform's `errno` number.
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let notPermitted = Code(rawValue: EPERM)
    package static let notFound = Code(rawValue: ENOENT)
    package static let interrupted = Code(rawValue: EINTR)
    package static let inputOutput = Code(rawValue: EIO)
    /// EAGAIN, the same as EWOULDBLOCK
    package static let wouldBlock = Code(rawValue: EAGAIN)
    package static let noMemory = Code(rawValue: ENOMEM)
    package static let permissionDenied = Code(rawValue: EACCES)
    package static let busy = Code(rawValue: EBUSY)
    package static let exists = Code(rawValue: EEXIST)
    package static let crossDevice = Code(rawValue: EXDEV)
    package static let notDirectory = Code(rawValue: ENOTDIR)
    package static let isDirectory = Code(rawValue: EISDIR)
    package static let invalidArgument = Code(rawValue: EINVAL)
    package static let tooManyOpenFiles = Code(rawValue: EMFILE)
    package static let tooManyFilesInSystem = Code(rawValue: ENFILE)
    package static let fileTooLarge = Code(rawValue: EFBIG)
    package static let noSpace = Code(rawValue: ENOSPC)
    package static let quotaExceeded = Code(rawValue: EDQUOT)
    package static let readOnlyFileSystem = Code(rawValue: EROFS)
    package static let nameTooLong = Code(rawValue: ENAMETOOLONG)
    package static let noLocks = Code(rawValue: ENOLCK)
    package static let directoryNotEmpty = Code(rawValue: ENOTEMPTY)
    package static let tooManyLinks = Code(rawValue: ELOOP)
    package static let notSupported = Code(rawValue: ENOTSUP)
    /// The name belongs to a directory, pipe, socket, device or symbolic link; no `errno` number
    package static let notRegularFile = Code(rawValue: -1)
    /// EBADF; also the answer of an object of this module after its `close()`
    package static let closed = Code(rawValue: EBADF)
  }
}

extension SystemError.Code {
  /// Whether a permission is missing, or the file system is read-only.
  package var isMissingRight: Bool {
    [.permissionDenied, .notPermitted, .readOnlyFileSystem].contains(self)
  }

  /// Whether the disk, the quota or the limit for the process's files leaves no room.
  package var isFullDisk: Bool { [.noSpace, .quotaExceeded, .fileTooLarge].contains(self) }

  /// What a user can do about it, whichever operation failed; `nil` if that is not known.
  package var remedy: String? {
    switch self {
    case _ where isFullDisk:
      "Free some space, or raise the limit, and try again; nothing is lost."
    case .tooManyOpenFiles, .tooManyFilesInSystem:
      "Too many files are open. Close some, or raise the limit (ulimit -n), and try again."
    case .noMemory:
      "There is not enough memory or address space. Free some, or raise the limit (ulimit -v), "
        + "and try again."
    default:
      nil
    }
  }
}

extension SystemError.Code: CustomStringConvertible {
  /// English in every locale, such as `no space left on device (ENOSPC)`.
  package var description: String {
    if self == .notRegularFile { return "not a regular file" }
    guard let (name, text) = Self.names[self] else { return "errno \(rawValue)" }
    return "\(text) (\(name))"
  }

  private static let names: [SystemError.Code: (String, String)] = [
    .notPermitted: ("EPERM", "operation not permitted"),
    .notFound: ("ENOENT", "no such file or directory"),
    .interrupted: ("EINTR", "interrupted by a signal"),
    .inputOutput: ("EIO", "input/output error"),
    .wouldBlock: ("EAGAIN", "would have to wait"),
    .noMemory: ("ENOMEM", "out of memory"),
    .permissionDenied: ("EACCES", "permission denied"),
    .busy: ("EBUSY", "busy"),
    .exists: ("EEXIST", "exists already"),
    .crossDevice: ("EXDEV", "not on the same file system"),
    .notDirectory: ("ENOTDIR", "not a directory"),
    .isDirectory: ("EISDIR", "is a directory"),
    .invalidArgument: ("EINVAL", "invalid argument"),
    .tooManyOpenFiles: ("EMFILE", "too many open files"),
    .fileTooLarge: ("EFBIG", "file too large"),
    .noSpace: ("ENOSPC", "no space left on device"),
    .quotaExceeded: ("EDQUOT", "disk quota exceeded"),
    .readOnlyFileSystem: ("EROFS", "read-only file system"),
    .nameTooLong: ("ENAMETOOLONG", "file name too long"),
    .noLocks: ("ENOLCK", "no locks available"),
    .directoryNotEmpty: ("ENOTEMPTY", "directory not empty"),
    .tooManyLinks: ("ELOOP", "too many symbolic links"),
    .notSupported: ("ENOTSUP", "not supported by the file system"),
    .closed: ("EBADF", "closed"),
    .tooManyFilesInSystem: ("ENFILE", "too many open files in the system"),
  ]
}
