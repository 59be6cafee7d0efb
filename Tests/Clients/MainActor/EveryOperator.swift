import LedgerPromises

/// Every operator that takes a callback, with one that touches the user interface.
@MainActor final class EveryOperator {
  let label = Label()
  let spinner = Spinner()
  var count = 0

  func chain(_ user: Promise<User>) -> Promise<String> {
    user
      .map(on: .main) { user -> String in
        self.label.text = user.name
        return user.name
      }
      .then(on: .main) { name in
        self.count += 1
        return Promise.value(name)
      }
      .get(on: .main) { self.label.text = $0 }
      .get(on: .main) { [label] in label.text = $0 }
      .compactMap(on: .main) { name in self.label.text.map { $0 + name } }
      .validate(on: .main) { _ in self.label.text != nil }
      .pass(on: .main) { _ in
        self.spinner.start()
        return Promise<Void>.after(.zero)
      }
      .tap(on: .main) { [weak self] _ in self?.spinner.stop() }
      .ensure(on: .main) { self.label.isHidden = false }
      .ensureAsync(on: .main) {
        self.spinner.stop()
        return Promise.value(())
      }
  }

  func failures(_ name: Promise<String>) -> Guarantee<Void> {
    name
      .onError(on: .main) { self.label.text = "\($0)" }
      .recover(on: .main) { _ in self.label.text ?? "" }
      .recoverThen(on: .main, includingCancellation: true) { _ in
        Promise.value(self.label.text ?? "")
      }
      .recoverAlways(on: .main) { _ in self.label.text ?? "" }
      .get(on: .main) { self.label.text = $0 }
      .map(on: .main) { self.label.text = $0 }
      .done(on: .main) { self.spinner.stop() }
      .then(on: .main) { Promise.value(self.count) }
      .done(on: .main) { self.count = $0 }
      .catch(on: .main) { self.label.text = "\($0)" }
      .finally(on: .main) { self.spinner.stop() }
  }

  func factories(_ names: [String]) -> Promise<[String]> {
    let lazy = Promise<Int>.lazy(on: .main) { $0.fulfill(self.count) }
    let settled = Promise<Int>(in: .main) { resolver in resolver.fulfill(self.count) }
    let returned = Promise(in: .main) { self.count }
    Promise(on: .main) { @MainActor in self.count }.done(on: .main) { self.count = $0 }
    lazy.map(on: .main) { self.count = $0 }
    settled.then(on: .main) { Promise.value(self.count + $0) }
    returned.get(on: .main) { self.count = $0 }
    returned.timeout(.seconds(30), throwing: TooSlow())
    let retried = Promise.retry(attempts: 2, on: .main) { attempt in
      self.count = attempt
      return lazy
    }
    let series = Promise.mapInSeries(names, on: .main) { name in
      self.label.text = name
      return Promise.value(name)
    }
    let parallel = Promise.mapInParallel(names, limit: 2, on: .main) { name in
      self.label.text = name
      return Promise.value(name)
    }
    let folded = Promise.reduce(names, 0, on: .main) { sum, name in
      self.count += 1
      return Promise.value(sum + name.count)
    }
    return Promise.all(retried, series, parallel, folded).get(on: .main) {
      count, first, second, sum in
      self.count = count + first.count + second.count + sum
    }.map { $0.2 }
  }

  /// An animation as a recipe.
  func animation() -> ColdPromise<Int> {
    ColdPromise(on: .main) {
      self.label.isHidden = false
      return Promise.value(self.label)
    }
    .then(on: .main) { label in
      label.text = "shown"
      return 1
    }
    .bind(on: .main) { step in
      self.label.isHidden = true
      return ColdPromise.value(step + 1)
    }
    .recover(on: .main) { _ in self.count }
  }

  /// Animations, one after the other.
  func animations() -> ColdPromise<Label> {
    label.fade(seconds: 2) { $0.text = "red" }
      .fade(seconds: 3) { $0.text = "green" }
      .sequence([4, 5], on: .main) { label, seconds in
        label.fade(seconds: seconds) { $0.text = "\(seconds)" }
      }
  }

  /// Code that compiled before continues to compile.
  func others(_ user: Promise<User>) {
    let executor = PromiseExecutor.main
    user.done { print($0.name) }
    user.done(on: executor) { print($0.name) }
    user.done(on: .inline) { print($0.name) }
    user.done(on: nil) { print($0.name) }
    user.done(on: .main) { self.show($0) }
    let made = Promise.make(of: Int.self, on: .main)
    made.resolver.fulfill(1)
    let mapped = made.promise.map { "\($0)" }.map { $0.count }
    mapped.done { print($0) }
  }

  func show(_ user: User) {
    label.text = user.name
  }
}

struct TooSlow: Error {}

extension Label {
  /// An animation as a recipe, from a call with a completion handler.
  func fade(seconds: Int, _ change: @escaping @MainActor @Sendable (Label) -> Void) -> ColdPromise<
    Label
  > {
    ColdPromise(on: .main) { complete in
      Label.animate(seconds: seconds) {
        change(self)
      } completion: {
        complete(self)
      }
    }
  }

  static func animate(seconds: Int, _ changes: () -> Void, completion: () -> Void) {
    changes()
    completion()
  }
}

extension ColdPromise where Value == Label {
  /// The animation behind another one.
  func fade(seconds: Int, _ change: @escaping @MainActor @Sendable (Label) -> Void) -> ColdPromise<
    Label
  > {
    bind(on: .main) { $0.fade(seconds: seconds, change) }
  }

  /// A recipe for one type of value.
  func hide() -> ColdPromise<Label> {
    then(on: .main) { label in
      label.isHidden = true
      return label
    }
  }
}

/// Code without isolation of its own reaches the user interface the same way.
func show(_ name: Promise<String>, in label: Label) -> Guarantee<Void> {
  name.done(on: .main) { label.text = $0 }.catch(on: .main) { label.text = "\($0)" }
}
