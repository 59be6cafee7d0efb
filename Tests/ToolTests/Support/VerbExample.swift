import Testing

/// A command line for a verb, in the directory of a ``TranscriptLedger``.
///
/// Its transcript, in the folder `Transcripts`, has the output, the notes and the exit code.
struct VerbExample: Sendable, CustomTestStringConvertible {
  /// How the command can be held while it runs, so that it can be interrupted.
  enum Hold: Sendable {
    /// It waits for the lock of LMDB.
    case lock
    /// It waits for standard input.
    case input
    /// It waits for a reader of its output.
    case output
  }

  let verb: String
  let arguments: [String]
  /// What standard input has.
  var input = ""
  var hold = Hold.lock
  /// A command that is given before.
  var preparation: [String]?
  /// The arguments that are given while the command is held, if they are not the same.
  var heldArguments: [String]?

  var testDescription: String { ([verb] + arguments).joined(separator: " ") }

  init(
    _ verb: String, _ arguments: String..., input: String = "", hold: Hold = .lock,
    after preparation: [String]? = nil, held: [String]? = nil
  ) {
    (self.verb, self.arguments, self.input, self.hold) = (verb, arguments, input, hold)
    (self.preparation, heldArguments) = (preparation, held)
  }

  /// One for each verb.
  static let all =
    lists + subjects + whole + operators + served + [
      VerbExample("completion", "fish", hold: .output),
      VerbExample("manual", hold: .output),
    ]

  private static let lists = [
    VerbExample("overview", "ledger"),
    VerbExample("log", "ledger", "--tail", "8"),
    VerbExample("promises", "ledger"),
    VerbExample("handlers", "ledger"),
    VerbExample("work", "ledger"),
    VerbExample("sessions", "ledger"),
    VerbExample("state", "ledger", "--at", "12", "--all"),
    VerbExample("diff", "ledger", "4", "12"),
    VerbExample("stats", "ledger"),
  ]

  private static let subjects = [
    VerbExample("show", "ledger", "order/7"),
    VerbExample("explain", "ledger", "00000b06"),
    VerbExample("tree", "ledger", "order/7"),
    VerbExample("trace", "ledger", "00000b0a"),
    VerbExample("graph", "ledger"),
  ]

  private static let whole = [
    VerbExample("report", "ledger", "-o", "page.html"),
    VerbExample("verify", "ledger"),
    VerbExample("digest", "ledger"),
    VerbExample("compact", "ledger"),
    VerbExample("backup", "ledger", "copy"),
    VerbExample("salvage", "ledger", "rest"),
    VerbExample("export", "ledger"),
    VerbExample(
      "import", "copy", "recording", hold: .input, after: ["record", "ledger", "-o", "recording"],
      held: ["copy", "-"]),
    VerbExample("record", "ledger", "-o", "recording"),
    VerbExample(
      "replay", "recording", hold: .input, after: ["record", "ledger", "-o", "recording"],
      held: ["/dev/stdin"]),
  ]

  #if Serve
    // It ends only by itself if there is nothing to serve.
    private static let served = [VerbExample("serve", "nothing", held: ["ledger"])]
  #else
    private static let served: [VerbExample] = []
  #endif

  private static let operators = [
    VerbExample("retry", "ledger", "--state", "parked"),
    VerbExample("park", "ledger", "00000b04"),
    VerbExample("resolve", "ledger", "order/7", "--value", "7"),
    VerbExample("reject", "ledger", "order/7", "--reason", "no"),
    VerbExample("cancel", "ledger", "-", input: "00000b04\n00000b03\n", hold: .input),
    VerbExample("abandon", "ledger", "00000b02", "--reason", "late"),
    VerbExample("force", "ledger", "00000b04", "--value", "7"),
    VerbExample("invalidate", "ledger", "00000b09"),
  ]
}
