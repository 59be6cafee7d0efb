import LedgerBytes

/// The page without its data, of the files beside this one.
///
/// Nothing but its own script and style is allowed in it, by their hashes.
struct PageTemplate: Sendable {
  /// What a browser may do with the page, as its content security policy.
  let policy: String
  /// Everything before the data.
  let beginning: [UInt8]
  /// Everything after the data.
  let end: [UInt8]

  /// What shows the page.
  enum Purpose {
    /// A file, which loads nothing.
    case report
    /// A server, from which the page goes on to hear of changes.
    case server
  }

  init(_ purpose: Purpose) {
    let script = Self.script(for: purpose)
    let style = PackageResources.page_css
    var policy =
      "default-src 'none'; script-src '\(Self.source(of: script))'; "
      + "style-src '\(Self.source(of: style))'; base-uri 'none'; form-action 'none'"
    if case .server = purpose { policy += "; connect-src 'self'" }
    self.policy = policy
    var parts = PackageResources.page_html[...]
    var beginning: [UInt8] = []
    for (mark, content) in [
      ("{{policy}}", Array(policy.utf8)), ("{{style}}", style), ("{{data}}", []),
    ] {
      beginning += Self.take(until: mark, from: &parts) + content
    }
    self.beginning = beginning
    end = Self.take(until: "{{script}}", from: &parts) + script + Array(parts)
  }

  /// One script of all files, each of which uses those before it.
  private static func script(for purpose: Purpose) -> [UInt8] {
    var files = [
      PackageResources.data_js, PackageResources.elements_js, PackageResources.lists_js,
      PackageResources.waterfall_js, PackageResources.actions_js, PackageResources.detail_js,
      PackageResources.overview_js, PackageResources.page_js,
    ]
    if case .server = purpose { files.append(PackageResources.live_js) }
    return Array("\"use strict\";\n(() => {\n".utf8) + files.joined() + Array("})();\n".utf8)
  }

  private static func take(until mark: String, from text: inout ArraySlice<UInt8>) -> [UInt8] {
    let mark = Array(mark.utf8)
    var start = text.startIndex
    while start + mark.count <= text.endIndex, !text[start...].starts(with: mark) { start += 1 }
    defer { text = text[min(start + mark.count, text.endIndex)...] }
    return Array(text[..<start])
  }

  /// What a content security policy calls a text that may run or style.
  private static func source(of text: [UInt8]) -> String {
    var hasher = SHA256Hasher()
    hasher.update(text.span)
    return "sha256-\(Base64Text(hasher.finish().bytes))"
  }
}
