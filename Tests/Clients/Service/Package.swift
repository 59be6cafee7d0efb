// swift-tools-version: 6.2.3
import PackageDescription

let package = Package(
  name: "service",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "PromiseLedger", path: "../../..", traits: ["ServiceLifecycle"]),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // A server that runs work until it is shut down.
    .executableTarget(
      name: "service",
      dependencies: [
        .product(name: "LedgerRuntime", package: "PromiseLedger"),
        .product(name: "LedgerRuntimeTesting", package: "PromiseLedger"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      path: "Sources")
  ]
)

for target in package.targets { target.swiftSettings = [.treatAllWarnings(as: .error)] }
