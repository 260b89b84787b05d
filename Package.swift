// swift-tools-version: 6.2
import PackageDescription

// The map: a target may import what stands in its list and Foundation's essentials, and nothing else. Targets stand on floors,
// from the machine upwards; Docs/Architecture.md says what lives where.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Without the reuse of the standard library's containers, for comparison and as a way out; decision 8.
let containers: [SwiftSetting] =
    Context.environment["CORENETKIT_PLAIN_JSON"] == nil ? [] : [.define("PLAIN_JSON_CONTAINERS")]

/// `Data`, `Date`, `URL`: what each target may import.
let essentials: Target.Dependency = "CoreNetKitEssentials"
let words: Target.Dependency = "ProgramArguments"

/// libcurl as the run-time library that each system with Swift has, or as an archive: Docs/OneFile.md.
let libcurl = Context.environment["CORENETKIT_STATIC_CURL"] == nil ? ":libcurl.so.4" : "curl"

/// Targets that call an API for which Apple requires a reason; elsewhere a resource would only link Foundation.
let withPrivacyManifest = ["CoreNetKitSystem", "CoreNetKit", "IDPushService"]

func module(_ name: String, _ dependencies: [Target.Dependency] = [], _ more: [SwiftSetting] = []) -> Target {
    let target = Target.target(name: name, dependencies: [essentials] + dependencies, swiftSettings: settings + more)
    guard withPrivacyManifest.contains(name) else { return target }
    #if canImport(Darwin)
        target.resources = [.copy("PrivacyInfo.xcprivacy")]
    #else
        target.exclude = ["PrivacyInfo.xcprivacy"]
    #endif
    return target
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: [essentials, words] + dependencies, swiftSettings: settings)
}

func example(_ name: String, _ dependencies: [Target.Dependency], in folder: String? = nil) -> Target {
    let path = "Playground-Examples/\(folder ?? name)"
    return .executableTarget(name: name, dependencies: [words] + dependencies, path: path, swiftSettings: settings)
}

func recipe(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    example(name, dependencies, in: "Recipes/\(name)")
}

func recipes(_ names: [String], _ more: [Target.Dependency] = []) -> [Target] {
    names.map { recipe($0, ["CoreNetKit", "CoreNetKitLoopback"] + more) }
}

/// Without the last setting, which costs a tenth of the compiler's time for walls that tests do not have.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: [essentials, "TestPace"] + dependencies, swiftSettings: settings.dropLast())
}

/// Targets that stand in one folder: a floor imports its own and those of the floors listed before it (`.ci/check-tree`).
func floor(_ folder: String, _ targets: [Target]) -> [Target] {
    for target in targets { target.path = "\(folder)/\(target.name)" }
    return targets
}

func product(_ name: String) -> Product { .library(name: name, targets: [name]) }

func onLinux(_ name: String) -> Target.Dependency { .target(name: name, condition: .when(platforms: [.linux])) }

func onApple(_ name: String) -> Target.Dependency {
    .target(name: name, condition: .when(platforms: [.macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS]))
}

// From the machine upwards: each list is what stands on it.
let wire: [Target.Dependency] = ["CoreNetKitSystem", "CoreNetKitHTTP"]
let chain = wire + ["CoreNetKitChain"]
let transport = [onLinux("CoreNetKitCurl"), onApple("CoreNetKitURLSession")]
let kit = chain + ["CoreNetKitJson", "CoreNetKitRecovery", "CoreNetKit"]
let doubles: [Target.Dependency] = ["CoreNetKitMock", "CoreNetKitLoopback", "TestSupport"]
/// Of a client for the interface of a service.
let port: [Target.Dependency] = ["CoreNetKit", "CoreNetKitLoopback", "CoreNetKitStreams", "ExampleReport"]
let everything: [Target.Dependency] =
    ["Cache", "Cookies", "Curl", "Fleet", "Observability", "Outbox", "SharedStore", "Sockets", "Streams", "URLSession"]
    .map { .init(stringLiteral: "CoreNetKit\($0)") }
    + ["AlarmService", "CoreNetKitEndpoints", "DeepLinks", "IDPushService", "KorePushService", "OpenReports"]

let package = Package(
    name: "CoreNetKit",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        product("CoreNetKit"), product("CoreNetKitChain"), product("CoreNetKitHTTP"), product("CoreNetKitCurl"),
        product("CoreNetKitURLSession"), product("CoreNetKitCache"), product("CoreNetKitCacheConformance"),
        product("CoreNetKitStreams"), product("CoreNetKitCookies"), product("CoreNetKitSockets"),
        product("CoreNetKitReachability"), product("CoreNetKitEndpoints"), product("CoreNetKitOutbox"),
        product("CoreNetKitObservability"), product("CoreNetKitSharedStore"),
        product("CoreNetKitSharedStoreConformance"), product("CoreNetKitFleet"), product("CoreNetKitSignatures"),
        product("CoreNetKitMock"), product("CoreNetKitLoopback"), product("DeepLinks"),
        product("DeepLinksDocumentNames"), product("AlarmService"), product("AlarmServiceDocumentNames"),
        product("KorePushService"), product("KorePushServiceDocumentNames"), product("IDPushService"),
        product("IDPushServiceDocumentNames"), product("OpenReports"), product("PushServersMock"),
        // Not the name of its target: that would hide the type.
        .executable(name: "Outbox", targets: ["OutboxStory"]),
    ],
    targets: [
        floor(
            "Sources/Core",
            [
                // libcurl as the Swift toolchain itself ships with: our own declarations, no headers.
                .target(name: "CNetCurl", linkerSettings: [.linkedLibrary(libcurl, .when(platforms: [.linux]))]),
                .systemLibrary(name: "CNetEpoll"),
                .target(name: "CNetCodings"),
                .target(name: "CNetHTTP2"),
                .target(name: "CoreNetKitEssentials", swiftSettings: settings),
                module("CoreNetKitSystem"),
                module("CoreNetKitHTTP", ["CoreNetKitSystem"]),
                // What is in messages, without a socket.
                module("CoreNetKitWire", wire + [onLinux("CNetCodings"), onLinux("CNetHTTP2")]),
                module("CoreNetKitCurl", wire + ["CoreNetKitWire", onLinux("CNetCurl"), onLinux("CNetEpoll")]),
                module("CoreNetKitURLSession", wire + ["CoreNetKitWire", onLinux("CoreNetKitCurl")]),
                module("CoreNetKitJson", ["CoreNetKitSystem"], containers),
                module("CoreNetKitChain", wire),
                module("CoreNetKitMoved", chain),
                module("CoreNetKitRecovery", chain),
                module("CoreNetKit", chain + ["CoreNetKitJson", "CoreNetKitMoved", "CoreNetKitRecovery"] + transport),
            ]
        ),
        floor(
            "Sources/Features",
            [
                module("CoreNetKitCache", kit),
                module("CoreNetKitCookies", chain),
                module("CoreNetKitEndpoints", chain + ["CoreNetKitRecovery"]),
                module("CoreNetKitStreams", kit),
                module("CoreNetKitSockets", kit + ["CoreNetKitWire"]),
                module("CoreNetKitOutbox", kit),
                module("CoreNetKitReachability", chain + [onLinux("CNetEpoll")]),
                module("CoreNetKitObservability", kit),
                module("CoreNetKitSharedStore", chain),
                module("CoreNetKitSignatures", chain + ["CoreNetKitRecovery", "CoreNetKitWire"]),
                module(
                    "CoreNetKitFleet",
                    kit + [
                        "CoreNetKitCache", "CoreNetKitEndpoints", "CoreNetKitSharedStore", onLinux("CNetCurl"),
                        onLinux("CoreNetKitCurl"),
                    ]
                ),
            ]
        ),
        floor(
            "Sources/Testing",
            [
                // For both doubles: the other side of a WebSocket by script, and patterns of paths.
                module("CoreNetKitPeer", wire + ["CoreNetKitWire"]),
                module("CoreNetKitLoopback", wire + ["CoreNetKitPeer", "CoreNetKitWire", onLinux("CNetEpoll")]),
                module("CoreNetKitMock", kit + ["CoreNetKitObservability", "CoreNetKitPeer", "CoreNetKitWire"]),
                module("CoreNetKitCacheConformance", ["CoreNetKitHTTP", "CoreNetKitCache"]),
                module("CoreNetKitSharedStoreConformance", ["CoreNetKitHTTP", "CoreNetKitSharedStore"]),
            ]
        ),
        floor(
            "Sources/Services",
            [
                module("DeepLinks", kit),
                module("DeepLinksDocumentNames", ["DeepLinks"]),
                module("AlarmService", kit + ["CoreNetKitCache", "CoreNetKitOutbox"]),
                module("AlarmServiceDocumentNames", ["AlarmService", "CoreNetKit"]),
                module("PushRegistration", kit + ["CoreNetKitOutbox"]),
                module("KorePushService", kit + ["CoreNetKitOutbox", "PushRegistration"]),
                module(
                    "KorePushServiceDocumentNames",
                    ["KorePushService", "PushRegistration", "CoreNetKit", "CoreNetKitOutbox"]
                ),
                module("IDPushService", kit + ["CoreNetKitOutbox", "PushRegistration"]),
                module("IDPushServiceDocumentNames", ["IDPushService", "CoreNetKit", "CoreNetKitChain"]),
                module("OpenReports", kit + ["AlarmService", "CoreNetKitOutbox", "DeepLinks"]),
                module("PushServersMock", wire + ["CoreNetKitLoopback"]),
            ]
        ),
        recipes([
            "FirstRequest", "ErrorBodies", "UploadFile", "OneDeadline", "RetryPost", "LoginTokens", "LimitsAndBreaker",
            "LearnedRate", "AdaptiveLimit", "SearchAsYouType", "ObservableLoader", "GraphQLQuery", "GracefulShutdown",
            "ClientBase",
        ]),
        recipes(["OwnNode", "OwnPolicy"], chain),
        recipes(["WhyItWaited", "WatchLive", "ServerHints"], ["CoreNetKitObservability"]),
        recipes(["AssistantStream", "LongList", "BigDownload"], ["CoreNetKitStreams"]),
        recipes(["OfflineFirst", "CacheThenNetwork"], ["CoreNetKitCache"]),
        recipes(["OwnCacheStorage"], ["CoreNetKitCache", "CoreNetKitCacheConformance"]),
        recipes(["LiveFeed", "GraphQLSubscriptions", "JsonRpc"], ["CoreNetKitSockets"]),
        floor("Playground-Examples/Support", [module("ExampleReport"), module("ProgramArguments")]),
        [
            example("QuickStart", ["CoreNetKit", "CoreNetKitLoopback", "CoreNetKitObservability"]),
            example("Waterfall", kit + ["CoreNetKitCache", "CoreNetKitLoopback", "CoreNetKitObservability"]),
            recipe("ChainWithoutHTTP", ["CoreNetKit", "CoreNetKitChain"]),
            recipe("MockedTest", ["CoreNetKit", "CoreNetKitMock"]),
            recipe("TargetEnum", ["CoreNetKit", "CoreNetKitMock"]),
            example("GitHubClient", port + chain + ["CoreNetKitCache"]),
            example("OpenAIClient", port),
            example("MCPClient", port + chain),
            example("S3Client", port + chain + ["CoreNetKitSignatures"]),
            example("EightPods", ["CoreNetKit", "CoreNetKitCache", "CoreNetKitFleet", "CoreNetKitLoopback"]),
            example("OutageDrill", kit + ["CoreNetKitEndpoints", "CoreNetKitMock"]),
            example(
                "PushJourney",
                kit + [
                    "CoreNetKitCache", "CoreNetKitLoopback", "CoreNetKitMock", "CoreNetKitOutbox", "IDPushService",
                    "KorePushService", "AlarmService", "DeepLinks", "DeepLinksDocumentNames", "PushServersMock",
                ]
            ),
            example("OutboxStory", kit + ["CoreNetKitOutbox", "CoreNetKitLoopback"], in: "Outbox"),
            example("StreamFigures", kit + ["CoreNetKitStreams", "CoreNetKitLoopback"]),
            recipe("Failover", ["CoreNetKit", "CoreNetKitEndpoints", "CoreNetKitLoopback"]),
            recipe("CookieLogin", ["CoreNetKit", "CoreNetKitCookies", "CoreNetKitLoopback"]),
            recipe("ResumeProbe", ["CoreNetKit", "CoreNetKitStreams"]),
            recipe("RecordAndReplay", ["CoreNetKit", "CoreNetKitLoopback", "CoreNetKitMock"]),
            recipe("SignedUpload", ["CoreNetKit", "CoreNetKitLoopback", "CoreNetKitSignatures"]),
            recipe("TrailingDigest", kit + ["CoreNetKitLoopback", "CoreNetKitSignatures", "CoreNetKitStreams"]),
            recipe("SendLater", kit + ["CoreNetKitOutbox", "CoreNetKitLoopback"]),
        ],
        // Tests may import anything.
        floor(
            "Tests/Support",
            [
                module(
                    "TestSupport",
                    kit + ["CoreNetKitLoopback", "CoreNetKitMock", "CoreNetKitSharedStore", "TestPace"]
                ),
                module("FileModel", ["CoreNetKitSystem"]),
                module("SecretKinds", ["CoreNetKitHTTP"]),
                module("TestPrograms"),
                module("PushDoubles", doubles + ["FileModel", "PushRegistration", "PushServersMock"]),
                module("TestPace", ["CoreNetKitSystem"]),
                program("OutboxProgram", kit + ["CoreNetKitOutbox"]),
                program("CookieProgram", kit + ["CoreNetKitCookies"]),
                program("FleetProgram", kit + ["CoreNetKitCache", "CoreNetKitFleet"]),
            ]
        ),
        floor(
            "Tests/Core",
            [
                tests("CoreNetKitSystemTests", ["CoreNetKitSystem", "FileModel"]),
                tests("CoreNetKitHTTPTests", wire + ["SecretKinds"]),
                tests("CoreNetKitWireTests", wire + ["CoreNetKitWire", onLinux("CNetHTTP2")]),
                tests("CoreNetKitCurlTests", wire + doubles + ["CoreNetKitCurl", "CoreNetKitWire", "TestPrograms"]),
                tests(
                    "TransportSuiteTests",
                    doubles + ["CoreNetKitCurl", "CoreNetKitURLSession", "TestPrograms"] + wire
                ),
                tests("CoreNetKitJsonTests", ["CoreNetKitJson", "CoreNetKitSystem"]),
                tests("CoreNetKitChainTests", kit + doubles),
                tests("CoreNetKitRecoveryTests", kit + doubles),
                tests("CoreNetKitTests", kit + doubles + ["CoreNetKitCurl", "SecretKinds"]),
            ]
        ),
        floor(
            "Tests/Features",
            [
                tests(
                    "CoreNetKitCacheTests",
                    kit + doubles + [
                        "CoreNetKitCache", "CoreNetKitCacheConformance", "CoreNetKitCurl", "FileModel",
                        "OwnCacheStorage", "SecretKinds", "TestPrograms",
                    ]
                ),
                tests("CoreNetKitCookiesTests", kit + doubles + ["CookieProgram", "CoreNetKitCookies", "FileModel"]),
                tests(
                    "CoreNetKitStreamsTests",
                    kit + doubles + [
                        "CoreNetKitObservability", "CoreNetKitStreams", "FileModel", "ResumeProbe", "SecretKinds",
                    ]
                ),
                tests(
                    "CoreNetKitSocketsTests",
                    kit + doubles + [
                        "CoreNetKitCache", "CoreNetKitCookies", "CoreNetKitCurl", "CoreNetKitObservability",
                        "CoreNetKitPeer", "CoreNetKitSockets", "CoreNetKitURLSession", "CoreNetKitWire", "TestPrograms",
                    ]
                ),
                tests(
                    "CoreNetKitOutboxTests",
                    kit + doubles + ["OutboxProgram", "CoreNetKitOutbox", "FileModel", "SecretKinds"]
                ),
                tests("CoreNetKitEndpointsTests", kit + doubles + everything),
                tests(
                    "CoreNetKitReachabilityTests",
                    kit + doubles + [
                        "CoreNetKitReachability", "CoreNetKitOutbox", "CoreNetKitSockets", "CoreNetKitStreams",
                    ]
                ),
                tests(
                    "CoreNetKitObservabilityTests",
                    kit + doubles + [
                        "CoreNetKitObservability", "CoreNetKitCache", "CoreNetKitCookies", "CoreNetKitStreams",
                        "CoreNetKitOutbox", "CoreNetKitURLSession", "FileModel", "PushRegistration", "SecretKinds",
                        "TestPrograms",
                    ]
                ),
                tests("CoreNetKitSignaturesTests", kit + doubles + ["CoreNetKitSignatures", "CoreNetKitStreams"]),
                tests("CoreNetKitSharedStoreTests", kit + doubles + ["CoreNetKitSharedStoreConformance"]),
                tests(
                    "CoreNetKitFleetTests",
                    kit + doubles + [
                        "CoreNetKitCache", "CoreNetKitCacheConformance", "CoreNetKitCookies", "CoreNetKitCurl",
                        "CoreNetKitEndpoints", "CoreNetKitFleet", "CoreNetKitObservability", "FileModel",
                        "CoreNetKitSharedStore", "CoreNetKitSharedStoreConformance", "FleetProgram", "TestPrograms",
                    ]
                ),
            ]
        ),
        floor(
            "Tests/Testing",
            [
                tests("CoreNetKitLoopbackTests", wire + doubles + [onLinux("CoreNetKitCurl")]),
                tests("CoreNetKitMockTests", kit + doubles),
            ]
        ),
        floor(
            "Tests/Services",
            [
                tests("DeepLinksTests", kit + doubles + ["DeepLinks", "DeepLinksDocumentNames"]),
                tests(
                    "AlarmServiceTests",
                    kit + doubles + [
                        "AlarmService", "AlarmServiceDocumentNames", "CoreNetKitCache", "CoreNetKitOutbox", "FileModel",
                        "PushDoubles", "PushServersMock", "TestPrograms",
                    ]
                ),
                tests(
                    "KorePushServiceTests",
                    kit + doubles + [
                        "KorePushService", "KorePushServiceDocumentNames", "PushDoubles", "PushServersMock",
                        "TestPrograms",
                    ]
                ),
                tests(
                    "IDPushServiceTests",
                    kit + doubles + [
                        "CoreNetKitOutbox", "FileModel", "IDPushService", "IDPushServiceDocumentNames",
                        "PushDoubles", "PushServersMock", "TestPrograms",
                    ]
                ),
                tests(
                    "PushRegistrationTests",
                    kit + doubles + [
                        "AlarmService", "CoreNetKitCache", "CoreNetKitCookies", "CoreNetKitOutbox", "FileModel",
                        "IDPushService", "KorePushService", "PushDoubles", "PushRegistration", "PushServersMock",
                    ]
                ),
                tests(
                    "OpenReportsTests",
                    kit + doubles + ["AlarmService", "CoreNetKitOutbox", "DeepLinks", "FileModel", "OpenReports"]
                ),
                tests("PushJourneyTests", ["PushJourney"]),
                tests("SettingsTests", kit + doubles + everything + ["CoreNetKitSignatures"]),
            ]
        ),
    ].flatMap { $0 },
    swiftLanguageModes: [.v6]
)

// Programs that measure and compare: `CORENETKIT_PROGRAMS=1 swift run -c release Benchmarks`.
if Context.environment["CORENETKIT_PROGRAMS"] != nil {
    // The suite plays the public cache tests; their data is named on the command line.
    let cacheSuite = program("CacheSuite", kit + ["CoreNetKitCache", "CoreNetKitLoopback"])
    package.targets += floor("Sources/Programs", [program("ColdStart", ["CoreNetKit"]), cacheSuite])
    #if os(Linux)
        // C, and what is compared with it beside calls.
        let besidePlain: [Target.Dependency] = ["CPlainCurl", "CoreNetKitCurl", "CoreNetKitSockets", "CoreNetKitWire"]
        let sharing: [Target.Dependency] = ["CoreNetKitCache", "CoreNetKitFleet"]
        package.targets += floor(
            "Sources/Programs",
            [
                .target(name: "CPlainCurl"),
                program("Benchmarks", kit + ["CoreNetKitLoopback"] + sharing + besidePlain),
                program("Instructions", kit + ["CoreNetKitEndpoints", "CoreNetKitObservability"] + besidePlain),
                program(
                    "Soak",
                    kit + ["CoreNetKitCurl", "CoreNetKitCache", "CoreNetKitStreams", "CoreNetKitLoopback"]
                ),
            ]
        )
    #endif
}

// One target and what it needs, for a change that is under way: `CORENETKIT_ONLY=CoreNetKitCacheTests swift test`.
if let only = Context.environment["CORENETKIT_ONLY"] {
    var names = Set<String>()
    var found = only.split(separator: ",").map(String.init)
    while let name = found.popLast() {
        guard names.insert(name).inserted else { continue }
        for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
            switch dependency {
            case .byNameItem(let name, _), .targetItem(let name, _): found.append(name)
            default: break
            }
        }
    }
    package.targets.removeAll { !names.contains($0.name) }
    package.products = []
}
