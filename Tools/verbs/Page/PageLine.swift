import LedgerRuntime

/// A line of one list of the page: JSON as an element that no browser runs may contain it.
///
/// A line has no line feed, and no stored text in it can end the element: `<` is escaped as JSON allows.
struct PageLine: Sendable {
  /// Longer texts are cut, in bytes: a page is to be looked at, and the tool has the rest.
  private static let longestText = 1 << 17

  let list: PageList
  /// What identifies the line in its list.
  let name: String
  let bytes: [UInt8]

  /// - Parameter state: The word by which the list can be filtered.
  init(_ list: PageList, _ name: String, _ state: String, _ record: Record) {
    self.list = list
    self.name = name
    let parts: [JSONValue] = [.string(state), .strings(record.cells)]
    let whole = JSONValue.array(parts + [record.json]).scriptBytes
    // A line that is shorter has no longer text.
    bytes =
      whole.count <= Self.longestText
      ? whole
      : JSONValue.array(parts + [record.json.clipped(to: Self.longestText)]).scriptBytes
  }
}

/// The lists of the page, by the names that its script has for them.
enum PageList: String, CaseIterable, Sendable {
  case promises, work, handlers, sessions, events
}

extension JSONValue {
  /// JSON as an element of a script may contain it.
  var scriptBytes: [UInt8] { bytes(escapingTags: true) }

  /// An element of the page with the value, which its script finds by the id.
  func element(id: String) -> [UInt8] {
    Array("<script type=\"application/json\" id=\"\(id)\">".utf8) + scriptBytes
      + Array("</script>\n".utf8)
  }

  /// The value with the beginnings of texts that are too long.
  fileprivate func clipped(to byteCount: Int) -> JSONValue {
    switch self {
    case .string(let text) where text.utf8.count > byteCount:
      let beginning = text.clipped(to: byteCount / 4)
      return .string("\(beginning)... (\(text.utf8.count) bytes, of which the page has the first)")
    case .array(let values): return .array(values.map { $0.clipped(to: byteCount) })
    case .object(let members): return .object(members.mapValues { $0.clipped(to: byteCount) })
    default: return self
    }
  }
}
