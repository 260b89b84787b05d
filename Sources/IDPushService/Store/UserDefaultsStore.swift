// The only file that needs all of Foundation: FoundationEssentials has no UserDefaults.
import Foundation
import Guarding

/// Keeps texts in `UserDefaults`, where the original IDPush keeps its player id.
public final class UserDefaultsStore: KeyValueStore {
    private struct Domain: @unchecked Sendable {
        // UserDefaults is documented to be thread-safe, but says so by Sendable on Apple platforms only.
        let defaults: UserDefaults
    }

    private let domain: Guarded<Domain>

    /// Creates a store.
    ///
    /// - Parameter suiteName: The name of the suite; `nil` for the standard one of the app.
    public init(suiteName: String? = nil) {
        domain = Guarded(Domain(defaults: suiteName.flatMap { UserDefaults(suiteName: $0) } ?? .standard))
    }

    /// Reads a text; a value that is no text is none.
    public func string(for key: String) -> String? {
        domain.withLock { $0.defaults.object(forKey: key) as? String }
    }

    /// Writes or removes a text.
    public func set(_ value: String?, for key: String) {
        domain.withLock { domain in
            if let value { domain.defaults.set(value, forKey: key) } else { domain.defaults.removeObject(forKey: key) }
            #if os(Linux)
                // Without it the value is gone with the process.
                _ = domain.defaults.synchronize()
            #endif
        }
    }
}
