extension LedgerConfiguration {
  /// The kinds of handlers that the session knows the code of.
  public var handlers: HandlerRegistry {
    get { handlerKinds as? HandlerRegistry ?? HandlerRegistry() }
    set { handlerKinds = newValue }
  }
}
