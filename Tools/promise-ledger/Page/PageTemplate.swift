import LedgerBytes

/// The page without its data, of the files beside this one.
///
/// Nothing but its own script and style is allowed in it, by their hashes.
struct PageTemplate {
  /// Everything before the data.
  let beginning: [UInt8]
  /// Everything after the data.
  let end: [UInt8]

  init() {
    let script = Self.script
    let style = PackageResources.page_css
    let policy =
      "default-src 'none'; script-src '\(Self.source(of: script))'; "
      + "style-src '\(Self.source(of: style))'; base-uri 'none'; form-action 'none'"
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
  private static var script: [UInt8] {
    let files = [
      PackageResources.data_js, PackageResources.elements_js, PackageResources.lists_js,
      PackageResources.waterfall_js, PackageResources.detail_js, PackageResources.overview_js,
      PackageResources.page_js,
    ]
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
