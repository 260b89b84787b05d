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
    "DeepLinks", "DeepLinksDocumentNames",
    "PushServersMock",
]

let package = Package(
    name: "CoreNetKit",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11)],
    products: [
        .library(name: "CoreNetKit", targets: ["CoreNetKit"]),
        .library(name: "CoreNetKitHTTP", targets: ["CoreNetKitHTTP"]),
        .library(name: "CoreNetKitURLSession", targets: ["CoreNetKitURLSession"]),
        .library(name: "CoreNetKitMock", targets: ["CoreNetKitMock"]),
        .library(name: "CoreNetKitLoopback", targets: ["CoreNetKitLoopback"]),
        .library(name: "DeepLinks", targets: ["DeepLinks"]),
        .library(name: "DeepLinksDocumentNames", targets: ["DeepLinksDocumentNames"]),
        .library(name: "KorePushService", targets: ["KorePushService"]),
        .library(name: "KorePushServiceDocumentNames", targets: ["KorePushServiceDocumentNames"]),
        .library(name: "AlarmService", targets: ["AlarmService"]),
        .library(name: "AlarmServiceDocumentNames", targets: ["AlarmServiceDocumentNames"]),
        .library(name: "IDPushService", targets: ["IDPushService"]),
        .library(name: "IDPushServiceDocumentNames", targets: ["IDPushServiceDocumentNames"]),
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
        module("CoreNetKitMock", ["CoreNetKit", "CoreNetKitHTTP", "CoreNetKitSystem"]),
        module(
            "CoreNetKitLoopback",
            ["CoreNetKitHTTP", "CoreNetKitSystem", .target(name: "CNetEpoll", condition: .when(platforms: [.linux]))]
        ),

        module("PushRegistration", ["CoreNetKit", "CoreNetKitChain", "CoreNetKitSystem"]),
        module("DeepLinks", ["CoreNetKit", "CoreNetKitSystem"]),
        module("DeepLinksDocumentNames", ["DeepLinks"]),
        module("KorePushService", ["PushRegistration", "CoreNetKit"]),
        module("KorePushServiceDocumentNames", ["KorePushService", "PushRegistration", "CoreNetKit"]),
        module("AlarmService", ["CoreNetKit", "CoreNetKitSystem"]),
        module("AlarmServiceDocumentNames", ["AlarmService", "CoreNetKit"]),
        module("IDPushService", ["PushRegistration", "CoreNetKit", "CoreNetKitSystem"]),
        module("IDPushServiceDocumentNames", ["IDPushService", "CoreNetKit"]),
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
        tests("CoreNetKitTests", ["TestSupport", "CoreNetKit", "CoreNetKitMock", "CoreNetKitLoopback"]),
        tests("DeepLinksTests", ["DeepLinks", "DeepLinksDocumentNames", "CoreNetKit"]),
        tests(
            "KorePushServiceTests",
            [
                "CurlProgram", "KorePushService", "KorePushServiceDocumentNames", "PushServersMock", "CoreNetKit",
                "CoreNetKitMock", "CoreNetKitLoopback",
            ]
        ),
        tests(
            "AlarmServiceTests",
            [
                "CurlProgram", "AlarmService", "AlarmServiceDocumentNames", "PushServersMock", "CoreNetKit",
                "CoreNetKitMock", "CoreNetKitLoopback",
            ]
        ),
        tests("CoreNetKitRecoveryTests", ["TestSupport", "CoreNetKit", "CoreNetKitMock", "CoreNetKitLoopback"]),
        tests(
            "IDPushServiceTests",
            [
                "CurlProgram", "IDPushService", "IDPushServiceDocumentNames", "PushServersMock", "CoreNetKit",
                "CoreNetKitMock", "CoreNetKitLoopback",
            ]
        ),
        tests("PushJourneyTests", ["PushJourney"]),
    ],
    swiftLanguageModes: [.v6]
)
