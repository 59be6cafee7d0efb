extension Promise {
  /// Pairs the value with that of another promise; it settles and cancels like
  /// `all`.
  public func zip<Other: Sendable>(
    _ other: Promise<Other>,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Promise<(Value, Other)> {
    Promise<(Value, Other)>.all(self, other, on: executor, file: file, line: line)
  }
}
