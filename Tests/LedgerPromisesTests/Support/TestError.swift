/// An error that tests throw and recognise.
struct TestError: Error, Codable, Equatable {
  let number: Int

  init(_ number: Int = 0) {
    self.number = number
  }
}
