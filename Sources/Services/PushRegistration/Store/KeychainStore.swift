#if canImport(Security)
    import CoreNetKitSystem
    import Foundation
    import Security

    /// Keeps texts in the keychain, on this device only: not in backups, readable after the first unlock.
    public final class KeychainStore: KeyValueStore {
        /// A failed keychain call.
        public struct Failure: Error, Sendable, CustomStringConvertible {
            /// The keychain's status.
            public let status: Int32
            /// The operation, and the status.
            public let description: String
        }

        private let service: String
        private let group: String?

        /// Creates a store.
        ///
        /// The service distinguishes its texts from others of the app; the group is the access group that extensions share,
        /// `nil` for the app's own.
        public init(service: String = "CoreNetKit.PushRegistration", group: String? = nil) {
            (self.service, self.group) = (service, group)
        }

        /// Identifies service and group.
        public var scope: String? { "keychain \(service) \(group ?? "")" }

        /// Reads a text, `nil` only if there is none; throws ``Failure``, for example before the first unlock.
        public func string(for key: String) throws -> String? {
            var query = item(key)
            query[kSecReturnData] = true
            query[kSecMatchLimit] = kSecMatchLimitOne
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = found as? Data else { throw failure("reading", status) }
            return String(decoding: data, as: UTF8.self)
        }

        /// Writes a text, or removes it (`nil`), or throws ``Failure``; an existing text is never missing in between.
        public func set(_ value: String?, for key: String) throws {
            guard let value else {
                let status = SecItemDelete(item(key) as CFDictionary)
                guard status == errSecSuccess || status == errSecItemNotFound else { throw failure("removing", status) }
                return
            }
            let change: [CFString: Any] = [kSecValueData: Data(value.utf8)]
            var status = SecItemUpdate(item(key) as CFDictionary, change as CFDictionary)
            if status == errSecItemNotFound {
                var new = item(key)
                new[kSecValueData] = Data(value.utf8)
                new[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
                status = SecItemAdd(new as CFDictionary, nil)
            }
            guard status == errSecSuccess else { throw failure("writing", status) }
        }

        private func item(_ key: String) -> [CFString: Any] {
            var query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: key,
            ]
            query[kSecAttrAccessGroup] = group
            return query
        }

        private func failure(_ step: String, _ status: OSStatus) -> Failure {
            Failure(status: status, description: "\(step) the keychain failed with status \(status)")
        }
    }
#endif
