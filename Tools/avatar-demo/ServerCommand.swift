import ArgumentParser

/// The chat server: it is slow and refuses requests.
struct ServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "server", abstract: "Answers every request with an error, after a while.")

  @Argument(help: "The directory through which requests and answers go.")
  var spool: Spool

  @Option(help: "How long an answer takes, in milliseconds.")
  var delay = 1_000

  func run() async throws {
    let say = Narrator("server")
    say("started")
    while true {
      for request in try spool.requests() {
        say("got the request \(request.id) to remove the avatar of \(request.room.address)")
        try await Task.sleep(for: .milliseconds(delay))
        let refusal = ServerError(
          code: 403, condition: "forbidden", text: "Only owners may change the avatar.")
        try spool.send(Stanza(id: request.id, error: refusal))
        try spool.remove(request)
        say("answered: \(refusal.code) \(refusal.condition)")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}
