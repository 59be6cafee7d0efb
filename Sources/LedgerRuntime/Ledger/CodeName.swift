import LedgerModel

/// The name in errors of a handler or of work. Its text is made only for an error.
enum CodeName: Sendable, CustomStringConvertible {
  case handler(HandlerID, kind: String? = nil, key: String? = nil, label: String? = nil)
  /// A kind of handlers, by the name of its type.
  case handlerType(String, kind: String)
  case work(PromiseID, kind: String)

  var description: String {
    switch self {
    case .handler(let id, kind: nil, _, _): "Handler \(id)"
    case .handler(let id, let kind?, let key, let label):
      "Handler \(id) of the kind \(kind)" + EntityID.names(key: key, label: label)
    case .handlerType(let type, let kind): "The handler type \(type) of the kind \(kind)"
    case .work(let id, let kind): "Work \(id) of the kind \(kind)"
    }
  }
}
