// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "main-actor-client",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "PromiseLedger", path: "../..")],
  targets: [
    .executableTarget(
      name: "main-actor-client",
      dependencies: [
        .product(name: "LedgerPromises", package: "PromiseLedger"),
        .product(name: "LedgerRuntime", package: "PromiseLedger"),
        .product(name: "LedgerRuntimeTesting", package: "PromiseLedger"),
      ],
      path: "Sources",
      swiftSettings: [.treatAllWarnings(as: .error)])
  ],
  // Apps are written in both.
  swiftLanguageModes: Context.environment["SWIFT_5_MODE"] != nil ? [.v5] : [.v6]
)
