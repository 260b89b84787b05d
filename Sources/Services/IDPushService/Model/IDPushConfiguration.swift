public import CoreNetKitEssentials
import CoreNetKitSystem
import PushRegistration

/// The push environment that the app is signed for; the library's own build mode does not determine it.
public enum PushEnvironment: Sendable, Hashable {
    /// Signed with a development certificate.
    case development
    /// Distributed outside the App Store.
    case adHoc
    /// Distributed by the App Store or TestFlight.
    case production
    /// The wire value of `test_type`; `nil` omits it, as OneSignal requires for the App Store.
    case custom(testType: Int?)

    /// The environment of the app's own profile.
    ///
    /// `production` without a profile, as in an app from the App Store, and `development` in a simulator, whose tokens
    /// are those of Apple's sandbox.
    public static var detected: PushEnvironment {
        #if targetEnvironment(simulator)
            return .development
        #elseif canImport(Darwin)
            let places = [
                Bundle.main.url(forResource: "embedded", withExtension: "mobileprovision"),
                // The place in a Mac app.
                Bundle.main.bundleURL.appending(path: "Contents/embedded.provisionprofile"),
            ]
            let profile = places.lazy.compactMap { $0.flatMap { try? Data(contentsOf: $0) } }.first
            return declared(in: profile.map { String(decoding: $0, as: UTF8.self) })
        #else
            return .production
        #endif
    }

    /// Reads the environment from the text of a profile; a Mac app's profile uses a longer name for it.
    package static func declared(in profile: String?) -> PushEnvironment {
        guard let profile, let key = profile.firstRange(of: "aps-environment</key>") else { return .production }
        let value = profile[key.upperBound...].prefix(80)
        return value.contains("<string>development</string>") ? .development : .adHoc
    }

    var testType: Int? {
        switch self {
        case .development: 1
        case .adHoc, .production: 2
        case .custom(let testType): testType
        }
    }
}

/// The device and app data of a request.
public struct DeviceInfo: Sendable, Hashable {
    /// The model, such as `iPhone15,2`.
    public var model: String
    /// The version of the operating system.
    public var systemVersion: String
    /// The version of the app.
    public var appVersion: String
    /// The kind of device: 0 is iOS.
    public var platformCode: Int
    /// Distinguishes this device from one that was restored from its backup.
    ///
    /// It is never sent. `nil` treats every record as this device's.
    public var mark: String?

    /// Creates a description.
    public init(model: String, systemVersion: String, appVersion: String, platformCode: Int = 0, mark: String? = nil) {
        (self.mark, self.model, self.systemVersion) = (mark, model, systemVersion)
        (self.appVersion, self.platformCode) = (appVersion, platformCode)
    }

    /// The data of this device and app; an app without a version has version `0`.
    public static var current: DeviceInfo {
        let system = ProcessInfo.processInfo.operatingSystemVersion
        var version = "\(system.majorVersion).\(system.minorVersion)"
        if system.patchVersion > 0 { version += ".\(system.patchVersion)" }
        return DeviceInfo(
            model: machine(),
            systemVersion: version,
            appVersion: bundleVersion() ?? "0",
            mark: DeviceIdentifier.shared.current
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

/// The settings of the service, fixed while it runs.
public struct IDPushConfiguration: Sendable, Hashable {
    /// The project's id in the IDPush panel.
    public var projectID: String
    /// The server: https, or http on this machine; `nil` is rejected like any other URL without a host.
    public var baseURL: URL?
    /// The environment of the token.
    public var environment: PushEnvironment
    /// The device and app data of the requests.
    public var device: DeviceInfo
    /// Whether requests wait for ``IDPush/giveConsent()``.
    public var requiresConsent: Bool
    /// How long a request may take in total, including all waits and retries; `nil` for no limit.
    public var deadline: Duration?

    /// The server of the document.
    public static let defaultBaseURL = URL(string: "https://idpush.top/api/v1/")

    /// Creates a configuration.
    public init(
        projectID: String,
        environment: PushEnvironment = .production,
        baseURL: URL? = defaultBaseURL,
        device: DeviceInfo = .current,
        requiresConsent: Bool = false,
        deadline: Duration? = .seconds(60)
    ) {
        (self.projectID, self.environment, self.baseURL) = (projectID, environment, baseURL)
        (self.device, self.requiresConsent, self.deadline) = (device, requiresConsent, deadline)
    }

    var parameters: [String: TagValue] {
        [
            "project_id": .string(projectID), "device_type": .int(device.platformCode),
            "game_version": .string(device.appVersion), "device_model": .string(device.model),
            "device_os": .string(device.systemVersion),
        ]
    }

    /// Checks the configuration, and trims its project id.
    func validated() throws(IDPushError) -> IDPushConfiguration {
        var result = self
        result.projectID = projectID.trimmed
        guard !result.projectID.isEmpty else { throw .missingProjectID }
        guard ServerAddressProblem(baseURL) == nil else { throw .insecureURL(baseURL?.host() ?? "no host") }
        return result
    }
}
