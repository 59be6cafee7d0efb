// swift-tools-version: 6.2.3
import PackageDescription

let package = Package(
  name: "example",
  platforms: [.macOS(.v15)],
  // In an app of yours: the address of the package, and a version.
  dependencies: [.package(name: "PromiseLedger", path: "../..")],
  targets: [
    .executableTarget(
      name: "example",
      dependencies: [
        .product(name: "PromiseLedger", package: "PromiseLedger"),
        .product(name: "LedgerPromises", package: "PromiseLedger"),
      ],
      path: "Sources",
      swiftSettings: [.treatAllWarnings(as: .error)])
  ],
  swiftLanguageModes: [.v6]
)
