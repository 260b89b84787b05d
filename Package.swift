// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name,
        dependencies: dependencies,
        path: "Playground-Examples/\(name)",
        swiftSettings: settings
    )
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let journey: [Target.Dependency] = [
    "CoreNetKit", "CoreNetKitLoopback", "CoreNetKitMock", "IDPushService", "KorePushService", "AlarmService",
    "DeepLinks",
    "PushServersMock",
]

let package = Package(
    name: "CoreNetKit",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11)],
    products: [
        .library(name: "CoreNetKit", targets: ["CoreNetKit"]),
        .library(name: "CoreNetKitHTTP", targets: ["CoreNetKitHTTP"]),
        .library(name: "CoreNetKitURLSession", targets: ["CoreNetKitURLSession"]),
        .library(name: "CoreNetKitObservability", targets: ["CoreNetKitObservability"]),
        .library(name: "CoreNetKitMock", targets: ["CoreNetKitMock"]),
        .library(name: "CoreNetKitLoopback", targets: ["CoreNetKitLoopback"]),
        .library(name: "DeepLinks", targets: ["DeepLinks"]),
        .library(name: "KorePushService", targets: ["KorePushService"]),
        .library(name: "AlarmService", targets: ["AlarmService"]),
        .library(name: "IDPushService", targets: ["IDPushService"]),
        .library(name: "PushServersMock", targets: ["PushServersMock"]),
    ],
    targets: [
        // libcurl as the Swift toolchain itself ships with: our own declarations, the run-time library only.
        .target(
            name: "CNetCurl",
            linkerSettings: [.linkedLibrary(":libcurl.so.4", .when(platforms: [.linux]))]
        ),
        .systemLibrary(name: "CNetEpoll"),
        module("CoreNetKitSystem"),
        module("CoreNetKitHTTP", ["CoreNetKitSystem"]),
        module(
            "CoreNetKitCurl",
            [
                "CoreNetKitHTTP", "CoreNetKitSystem",
                .target(name: "CNetCurl", condition: .when(platforms: [.linux])),
                .target(name: "CNetEpoll", condition: .when(platforms: [.linux])),
            ]
        ),
        module(
            "CoreNetKitURLSession",
            [
                "CoreNetKitHTTP", "CoreNetKitSystem",
                .target(name: "CoreNetKitCurl", condition: .when(platforms: [.linux])),
            ]
        ),
        module("CoreNetKitJson", ["CoreNetKitSystem"]),
        module("CoreNetKitChain", ["CoreNetKitHTTP", "CoreNetKitSystem"]),
        module("CoreNetKitRecovery", ["CoreNetKitChain", "CoreNetKitHTTP", "CoreNetKitSystem"]),
        module(
            "CoreNetKit",
            [
                "CoreNetKitSystem", "CoreNetKitHTTP", "CoreNetKitJson", "CoreNetKitChain", "CoreNetKitRecovery",
                .target(name: "CoreNetKitCurl", condition: .when(platforms: [.linux])),
                .target(
                    name: "CoreNetKitURLSession",
                    condition: .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])
                ),
            ]
        ),
        module(
            "CoreNetKitObservability",
            ["CoreNetKit", "CoreNetKitChain", "CoreNetKitHTTP", "CoreNetKitJson", "CoreNetKitSystem"]
        ),
        module(
            "CoreNetKitMock",
            ["CoreNetKit", "CoreNetKitHTTP", "CoreNetKitJson", "CoreNetKitObservability", "CoreNetKitSystem"]
        ),
        module(
            "CoreNetKitLoopback",
            ["CoreNetKitHTTP", "CoreNetKitSystem", .target(name: "CNetEpoll", condition: .when(platforms: [.linux]))]
        ),

        // The lock of the services: a part of theirs, not of the framework's.
        module("Guarding"),
        module("DeepLinks", ["CoreNetKit", "Guarding"]),
        module("KorePushService", ["CoreNetKit"]),
        module("AlarmService", ["CoreNetKit", "Guarding"]),
        module("IDPushService", ["CoreNetKit", "Guarding"]),
        module("PushServersMock", ["CoreNetKitLoopback", "CoreNetKitHTTP", "CoreNetKitSystem"]),

        .target(name: "CPlainCurl"),
        .executableTarget(
            name: "Benchmarks",
            dependencies: ["CoreNetKit", "CoreNetKitLoopback", "CPlainCurl"],
            swiftSettings: settings
        ),
        .executableTarget(name: "Soak", dependencies: ["CoreNetKit", "CoreNetKitLoopback"], swiftSettings: settings),
        .executableTarget(name: "ColdStart", dependencies: ["CoreNetKit"], swiftSettings: settings),

        example("QuickStart", ["CoreNetKit", "CoreNetKitLoopback"]),
        example("OutageDrill", ["CoreNetKit", "CoreNetKitMock"]),
        example("PushJourney", journey),

        .target(
            name: "TestSupport",
            dependencies: ["CoreNetKit", "CoreNetKitChain", "CoreNetKitRecovery"],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        .target(name: "CurlProgram", path: "Tests/CurlProgram", swiftSettings: settings),
        tests("CoreNetKitCurlTests", ["CoreNetKitCurl", "CoreNetKitHTTP", "CoreNetKitSystem", "CoreNetKitLoopback"]),
        tests(
            "TransportSuiteTests",
            [
                "CoreNetKitCurl", "CoreNetKitHTTP", "CoreNetKitSystem", "CoreNetKitURLSession", "CoreNetKitMock",
                "CoreNetKitLoopback",
            ]
        ),
        tests("CoreNetKitLoopbackTests", ["CoreNetKitLoopback"]),
        tests("CoreNetKitMockTests", ["CoreNetKitMock", "CoreNetKitLoopback"]),
        tests(
            "CoreNetKitObservabilityTests",
            [
                "CoreNetKitObservability", "CoreNetKit", "CoreNetKitChain", "CoreNetKitRecovery", "CoreNetKitHTTP",
                "CoreNetKitJson", "CoreNetKitSystem", "CoreNetKitMock", "CoreNetKitLoopback", "TestSupport",
            ]
        ),
        tests("CoreNetKitTests", ["TestSupport", "CoreNetKit", "CoreNetKitMock", "CoreNetKitLoopback"]),
        tests("DeepLinksTests", ["DeepLinks", "CoreNetKit"]),
        tests(
            "KorePushServiceTests",
            ["CurlProgram", "KorePushService", "PushServersMock", "CoreNetKit", "CoreNetKitMock", "CoreNetKitLoopback"]
        ),
        tests(
            "AlarmServiceTests",
            ["CurlProgram", "AlarmService", "PushServersMock", "CoreNetKit", "CoreNetKitMock", "CoreNetKitLoopback"]
        ),
        tests("CoreNetKitRecoveryTests", ["TestSupport", "CoreNetKit", "CoreNetKitMock", "CoreNetKitLoopback"]),
        tests(
            "IDPushServiceTests",
            ["CurlProgram", "IDPushService", "PushServersMock", "CoreNetKit", "CoreNetKitMock", "CoreNetKitLoopback"]
        ),
        tests("PushJourneyTests", ["PushJourney"]),
    ],
    swiftLanguageModes: [.v6]
)
