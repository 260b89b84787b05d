// swift-tools-version: 6.2
import PackageDescription

// Clients outside of the package, as an app would have them: Swift 5 mode, Swift 6 mode, and main-actor default
// isolation. Copied to a fresh folder and built there by .ci/check-clients, which makes the copies of one source for each mode.
let kit: [Target.Dependency] = [
    .product(name: "CoreNetKit", package: "CoreNetKit"),
    .product(name: "CoreNetKitChain", package: "CoreNetKit"),
    .product(name: "CoreNetKitHTTP", package: "CoreNetKit"),
    .product(name: "CoreNetKitCurl", package: "CoreNetKit"),
    .product(name: "CoreNetKitLoopback", package: "CoreNetKit"),
]

let services: [Target.Dependency] =
    kit
    + [
        "IDPushService", "IDPushServiceDocumentNames", "KorePushService", "KorePushServiceDocumentNames",
        "AlarmService", "AlarmServiceDocumentNames", "DeepLinks", "DeepLinksDocumentNames", "PushServersMock",
        "CoreNetKitCache", "CoreNetKitOutbox", "OpenReports",
    ].map { .product(name: $0, package: "CoreNetKit") }

let package = Package(
    name: "Clients",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "CoreNetKit", path: "../CoreNetKit")],
    targets: [
        .executableTarget(name: "Swift5Client", dependencies: kit, swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(name: "Swift6Client", dependencies: kit, swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "ServicesClient",
            dependencies: services,
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        .executableTarget(
            name: "MainActorClient",
            dependencies: kit,
            swiftSettings: [.swiftLanguageMode(.v6), .defaultIsolation(MainActor.self)]
        ),
        // The samples of the documents.
        .executableTarget(
            name: "DocumentsSwift5",
            dependencies: services,
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .executableTarget(
            name: "DocumentsSwift6",
            dependencies: services,
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        .executableTarget(
            name: "DocumentsMainActor",
            dependencies: services,
            swiftSettings: [.swiftLanguageMode(.v6), .defaultIsolation(MainActor.self)]
        ),
    ]
)
