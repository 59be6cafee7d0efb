internal import CLedgerPostgreSQL
import LedgerSystem

/// The server, database and user of a connection, as libpq's connection string or URI.
///
/// Its descriptions leave out passwords and all other text that libpq marks as secret.
package struct ConnectionSettings: Sendable, Hashable {
  /// A connection string or a URI; it may contain a password.
  private let text: String
  /// The options that apply unless the text sets them.
  private var defaults: [String: String]
  /// Whether a standby is accepted if no host is the primary.
  private var acceptsStandby = false
  /// The options that are set, in the order of their names, without secret ones.
  private let visible: [String: String]
  /// Whether the text contains a password, or another secret.
  package let hasSecret: Bool

  /// The options of every connection, unless the text sets others: a dead server or host is noticed within
  /// seconds, and a standby is not written to.
  private static let usualDefaults = [
    "application_name": "PromiseLedger", "connect_timeout": "2", "keepalives_idle": "5",
    "keepalives_interval": "2", "keepalives_count": "3", "tcp_user_timeout": "10000",
    "target_session_attrs": "read-write",
  ]

  /// Reads a connection string or URI.
  ///
  /// - Parameter isVerified: Whether the server must prove its name by a certificate (`sslmode=verify-full`),
  ///   unless the text or the environment variable `PGSSLMODE` says otherwise. libpq does not apply this to
  ///   Unix sockets.
  /// - Throws: An error without the text if libpq cannot read it, or seems to take a part of a password for another.
  package init(_ text: String, verifiesServer isVerified: Bool = true) throws(PostgreSQLError) {
    self.text = text
    let options = try Self.options(of: text)
    if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
      guard options.allSatisfy(\.isUsualInURI) else { throw .misreadURI }
    }
    hasSecret = options.contains(where: \.isPassword)
    visible = options.filter { !$0.isSecret }.reduce(into: [:]) { $0[$1.keyword] = $1.value }
    var defaults = Self.usualDefaults
    if isVerified, ThisProcess.environmentVariable("PGSSLMODE") == nil {
      defaults["sslmode"] = "verify-full"
    }
    self.defaults = defaults
  }

  /// The settings for connections that only read: unless the text says otherwise, a standby is accepted if no host is
  /// the primary.
  ///
  /// - Parameter isPreferred: Whether a standby is preferred among several hosts.
  package func forReading(prefersStandby isPreferred: Bool) -> ConnectionSettings {
    var settings = self
    settings.defaults["target_session_attrs"] = isPreferred ? "prefer-standby" : "primary"
    settings.acceptsStandby = !isPreferred
    return settings
  }

  /// Connects with these settings.
  ///
  /// - Throws: An error of phase `connecting`.
  @available(*, noasync, message: "blocks the thread")
  package func connect() throws(PostgreSQLError) -> Connection {
    do throws(PostgreSQLError) {
      return try Connection(self)
    } catch {
      // libpq can prefer a standby, but not the primary.
      guard acceptsStandby, error.refusal == .readOnly else { throw error }
      var settings = self
      settings.defaults["target_session_attrs"] = "any"
      return try Connection(settings)
    }
  }

  /// The names and values for `PQconnectdbParams`; later ones win.
  var parameters: [(keyword: String, value: String)] {
    defaults.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + [
      ("dbname", text),
      // Names and messages are read as UTF-8.
      ("client_encoding", "UTF8"),
    ]
  }

  private struct Option {
    let keyword: String
    let value: String
    /// How libpq asks programs to show the value: an asterisk marks passwords, and a D options for debugging.
    let display: UInt8

    var isSecret: Bool { display != 0 }
    var isPassword: Bool { display == UInt8(ascii: "*") }

    /// Whether the value is no part of a password that lacks percent-encoding in a URI: a slash in one ends what libpq
    /// takes for the host and port, and of two signs "@" it takes the first for the end of the password.
    var isUsualInURI: Bool {
      switch keyword {
      case "port": value.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ",") }
      case "host", "dbname": !value.utf8.contains(UInt8(ascii: "@"))
      default: true
      }
    }
  }

  private static func options(of text: String) throws(PostgreSQLError) -> [Option] {
    var message: UnsafeMutablePointer<CChar>?
    guard let list = unsafe PQconninfoParse(text, &message) else {
      // The message quotes the text, which may contain a password.
      unsafe PQfreemem(message)
      throw PostgreSQLError(
        .connecting,
        "The connection string cannot be read. Write it as \"host=… dbname=… user=…\" or as a URI \"postgresql://…\"; its text is not shown, because it may contain a password."
      )
    }
    defer { unsafe PQconninfoFree(list) }
    var options: [Option] = []
    var index = 0
    while let keyword = unsafe list[index].keyword {
      if let value = unsafe list[index].val {
        let display = unsafe list[index].dispchar.map { unsafe UInt8(bitPattern: $0[0]) }
        options.append(
          Option(
            keyword: unsafe String(cString: keyword), value: unsafe String(cString: value),
            display: display ?? UInt8(ascii: "*")))
      }
      index += 1
    }
    return options
  }
}

extension PostgreSQLError {
  fileprivate static var misreadURI: PostgreSQLError {
    PostgreSQLError(
      .connecting,
      "The URI of the connection cannot be read. In a user name or password, write \"@\" as %40, \"/\" as %2F and \":\" as %3A; its text is not shown, because it may contain a password."
    )
  }
}

extension ConnectionSettings: CustomStringConvertible, CustomReflectable {
  package var description: String {
    let options = visible.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return options.isEmpty ? "the default server" : options.joined(separator: " ")
  }

  package var customMirror: Mirror { Mirror(self, children: ["settings": description]) }
}
