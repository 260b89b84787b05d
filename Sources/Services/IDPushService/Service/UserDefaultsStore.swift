// The only file that needs all of Foundation: FoundationEssentials has no UserDefaults.
import CoreNetKitSystem
import Foundation
public import PushRegistration

/// Keeps texts in `UserDefaults`, where the original IDPush SDK stores its player id.
///
/// Before the first unlock of the device `UserDefaults` returns no values. The store throws then, because an app launched
/// by a silent notification would otherwise look freshly installed. It detects this with a file of the framework that has
/// the same protection.
public final class UserDefaultsStore: KeyValueStore {
    /// The store cannot be read before the device is unlocked.
    public struct Unavailable: Error, Sendable {}

    private struct Domain: @unchecked Sendable {
        // UserDefaults is documented as thread-safe, but is marked Sendable only on Apple platforms.
        let defaults: UserDefaults
    }

    private let domain: Locked<Domain>
    private let name: String
    private let isAvailable: @Sendable () -> Bool

    /// Creates a store in a suite, or the app's standard one; `isAvailable` says whether the device's data can be read
    /// now, which is detected by default.
    public convenience init(suiteName: String? = nil, isAvailable: (@Sendable () -> Bool)? = nil) {
        self.init(suiteName: suiteName, identifier: .shared, isAvailable: isAvailable)
    }

    package init(suiteName: String?, identifier: DeviceIdentifier, isAvailable: (@Sendable () -> Bool)? = nil) {
        name = suiteName ?? ""
        self.isAvailable = isAvailable ?? { identifier.isReadable }
        domain = Locked(Domain(defaults: suiteName.flatMap { UserDefaults(suiteName: $0) } ?? .standard))
    }

    /// Identifies the suite.
    public var scope: String? { "defaults \(name)" }

    /// Reads a text, `nil` also for a value that is not text; throws ``Unavailable``.
    public func string(for key: String) throws -> String? {
        guard isAvailable() else { throw Unavailable() }
        return domain.withLock { $0.defaults.object(forKey: key) as? String }
    }

    /// Writes or removes a text; throws ``Unavailable``.
    public func set(_ value: String?, for key: String) throws {
        guard isAvailable() else { throw Unavailable() }
        domain.withLock { domain in
            if let value { domain.defaults.set(value, forKey: key) } else { domain.defaults.removeObject(forKey: key) }
            #if os(Linux)
                // Without it the value is lost when the process ends.
                _ = domain.defaults.synchronize()
            #endif
        }
    }
}
