/// Stands for the server: it knows avatars, and is not always there.
actor Server {
  private var avatars = ["garden@example.org": "rose.png", "kitchen@example.org": "spoon.png"]
  private var failuresToCome = 2

  struct Unreachable: Error {}

  /// Downloads an avatar. The first attempts fail.
  func avatar(of room: String) throws -> String {
    guard failuresToCome == 0 else {
      failuresToCome -= 1
      throw Unreachable()
    }
    return avatars[room] ?? "none"
  }

  func forgetAvatar(of room: String) {
    avatars[room] = nil
  }
}
