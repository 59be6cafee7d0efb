import Foundation

extension Pipe {
  /// Makes a pipe that is inherited only by the program that is to use it. If another program inherited it that a test
  /// starts at the same time, its reader would see no end before that program ends.
  static func uninherited() -> Pipe {
    let pipe = Pipe()
    for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
      _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
    return pipe
  }
}
