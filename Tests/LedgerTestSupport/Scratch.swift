import Foundation

/// A file system in memory, if there is one: for files that need not survive, in tests that make and
/// remove many.
package enum Scratch {
  package static let path =
    FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : "/tmp"
}
