// swift-tools-version: 6.2.3
import PackageDescription

let package = Package(
  name: "memory-client",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "PromiseLedger", path: "../..")],
  targets: [
    .executableTarget(
      name: "memory-client",
      dependencies: [
        .product(name: "LedgerRuntime", package: "PromiseLedger"),
        .product(name: "LedgerRuntimeTesting", package: "PromiseLedger"),
      ],
      path: "Sources")
  ]
)
