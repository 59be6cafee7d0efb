extension LedgerConfiguration {
  /// The kinds of handlers whose code the session knows.
  public var handlers: HandlerRegistry {
    get { handlerKinds as? HandlerRegistry ?? HandlerRegistry() }
    set { handlerKinds = newValue }
  }
}
