public import CoreNetKitEssentials
import PushRegistration
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Which of Apple's push environments the app is signed for; the library's own build mode does not know.
public enum PushEnvironment: Sendable, Hashable {
    /// Signed with a development certificate.
    case development
    /// Distributed outside the store.
    case adHoc
    /// From the App Store or TestFlight.
    case production
    /// The wire value of `test_type`, `nil` to leave it out as OneSignal wants it for the store.
    case custom(testType: Int?)

    /// The value of the app's own profile; `production` if there is none, as in an app from the store, and
    /// `development` in a simulator, whose tokens are those of Apple's sandbox.
    public static var detected: PushEnvironment {
        #if targetEnvironment(simulator)
            return .development
        #elseif canImport(Darwin)
            let places = [
                Bundle.main.url(forResource: "embedded", withExtension: "mobileprovision"),
                // Of a Mac app.
                Bundle.main.bundleURL.appending(path: "Contents/embedded.provisionprofile"),
            ]
            let profile = places.lazy.compactMap { $0.flatMap { try? Data(contentsOf: $0) } }.first
            return said(by: profile.map { String(decoding: $0, as: UTF8.self) })
        #else
            return .production
        #endif
    }

    /// What the text of a profile says; that of a Mac app has a longer name for it.
    package static func said(by profile: String?) -> PushEnvironment {
        guard let profile, let key = profile.firstRange(of: "aps-environment</key>") else { return .production }
        let value = profile[key.upperBound...].prefix(80)
        return value.contains("<string>development</string>") ? .development : .adHoc
    }

    /// The wire value.
    var testType: Int? {
        switch self {
        case .development: 1
        case .adHoc, .production: 2
        case .custom(let testType): testType
        }
    }
}

/// What a request says about device and app.
public struct DeviceInfo: Sendable, Hashable {
    /// The model, such as `iPhone15,2`.
    public var model: String
    /// The version of the operating system.
    public var systemVersion: String
    /// The version of the app.
    public var appVersion: String
    /// The kind of device: 0 is iOS.
    public var platformCode: Int
    /// Distinguishes this device from one on which its backup is restored.
    ///
    /// It is never sent; `nil` takes every record for its own.
    public var mark: String?

    /// Creates a description.
    public init(
        model: String,
        systemVersion: String,
        appVersion: String,
        platformCode: Int = 0,
        mark: String? = nil
    ) {
        self.mark = mark
        self.model = model
        self.systemVersion = systemVersion
        self.appVersion = appVersion
        self.platformCode = platformCode
    }

    /// This device and this app; an app without a version is `0`.
    public static var current: DeviceInfo {
        let system = ProcessInfo.processInfo.operatingSystemVersion
        var version = "\(system.majorVersion).\(system.minorVersion)"
        if system.patchVersion > 0 { version += ".\(system.patchVersion)" }
        return DeviceInfo(
            model: machine(),
            systemVersion: version,
            appVersion: bundleVersion() ?? "0",
            mark: DeviceMark.shared.current
        )
    }

    private static func machine() -> String {
        if let simulated = ProcessInfo.processInfo.environment["SIMULATOR_MODEL_IDENTIFIER"] { return simulated }
        var names = utsname()
        guard uname(&names) == 0 else { return "unknown" }
        return withUnsafeBytes(of: &names.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static func bundleVersion() -> String? {
        #if canImport(Darwin)
            Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String
        #else
            nil
        #endif
    }
}

/// What does not change while the service runs.
public struct IDPushConfiguration: Sendable, Hashable {
    /// The project's id in the IDPush panel.
    public var projectID: String
    /// Where the requests go: https, or a server on this machine; `nil` is refused like any other URL without a host.
    public var baseURL: URL?
    /// Which environment the token belongs to.
    public var environment: PushEnvironment
    /// What the requests say about the device.
    public var device: DeviceInfo
    /// Whether nothing is sent before ``IDPush/giveConsent()``.
    public var requiresConsent: Bool
    /// How long a request may take in all, with every wait and repetition; `nil` for no limit.
    public var deadline: Duration?

    /// The server of the document.
    public static let defaultBaseURL = URL(string: "https://idpush.top/api/v1/")

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - projectID: The project's id in the IDPush panel.
    ///   - environment: Which environment the token belongs to.
    ///   - baseURL: Where the requests go.
    ///   - device: What the requests say about the device.
    ///   - requiresConsent: Whether nothing is sent before the user agreed.
    ///   - deadline: How long a request may take in all.
    public init(
        projectID: String,
        environment: PushEnvironment = .production,
        baseURL: URL? = defaultBaseURL,
        device: DeviceInfo = .current,
        requiresConsent: Bool = false,
        deadline: Duration? = .seconds(60)
    ) {
        self.projectID = projectID
        self.environment = environment
        self.baseURL = baseURL
        self.device = device
        self.requiresConsent = requiresConsent
        self.deadline = deadline
    }
}

extension IDPushConfiguration {
    /// The parameters that all requests share.
    var parameters: [String: TagValue] {
        [
            "project_id": .string(projectID),
            "device_type": .int(device.platformCode),
            "game_version": .string(device.appVersion),
            "device_model": .string(device.model),
            "device_os": .string(device.systemVersion),
        ]
    }

    /// The same configuration, fit to be used.
    ///
    /// - Returns: The configuration with its project id trimmed.
    /// - Throws: ``IDPushError`` with code `missingProjectID` or `insecureURL`.
    func checked() throws(IDPushError) -> IDPushConfiguration {
        var result = self
        result.projectID = projectID.trimmed
        guard !result.projectID.isEmpty else { throw .missingProjectID }
        do {
            try ServerAddress.check(baseURL)
        } catch {
            throw .insecureURL(baseURL?.host() ?? "no host")
        }
        return result
    }
}
