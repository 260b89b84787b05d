#if canImport(Security)
    import CoreNetKitHTTP
    import Foundation
    import Security

    /// The client certificates of a transport, created once; `@unchecked Sendable`: they are only passed on.
    struct ClientIdentities: @unchecked Sendable {
        private let common: URLCredential?
        private let hosts: [String: URLCredential]

        /// - Throws: `TransportError` with code `clientCertificateRejected` if one is not available.
        init(_ configuration: URLSessionTransport.Configuration) throws(TransportError) {
            common = try Self.credential(configuration.tls.identity)
            var hosts: [String: URLCredential] = [:]
            for (name, host) in configuration.hosts { hosts[name] = try Self.credential(host.identity) }
            self.hosts = hosts
        }

        /// The credential for a host that asks for one; `nil` for none.
        func credential(for host: String) -> URLCredential? { hosts[HostName.lookedUp(host)] ?? common }

        private static func credential(_ identity: TransportTLS.Identity?) throws(TransportError) -> URLCredential? {
            switch identity {
            case nil, .files, .pem: nil  // refused before
            case .pkcs12(let bytes, let password): try imported(bytes, password)
            case .keychain(let label): try found(label)
            }
        }

        private static func imported(_ bytes: Data, _ password: String) throws(TransportError) -> URLCredential {
            var items: CFArray?
            let options: [CFString: Any] = [
                kSecImportExportPassphrase: password, kSecImportToMemoryOnly: true,
            ]
            let status = SecPKCS12Import(bytes as CFData, options as CFDictionary, &items)
            guard status == errSecSuccess else {
                throw failure("the PKCS #12 container cannot be read, or the password is wrong (\(status))")
            }
            let first = (items as? [[String: Any]])?.first
            guard let identity = identity(first?[kSecImportItemIdentity as String]) else {
                throw failure("the PKCS #12 container has no certificate with a key")
            }
            let chain = (first?[kSecImportItemCertChain as String] as? [Any]) ?? []
            return URLCredential(identity: identity, certificates: Array(chain.dropFirst()), persistence: .forSession)
        }

        private static func found(_ label: String) throws(TransportError) -> URLCredential {
            let query: [CFString: Any] = [
                kSecClass: kSecClassIdentity, kSecAttrLabel: label, kSecReturnRef: true,
                kSecMatchLimit: kSecMatchLimitOne,
            ]
            var item: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &item)
            guard status == errSecSuccess, let identity = identity(item) else {
                throw failure("the keychain has no certificate with a key under this label (\(status))")
            }
            return URLCredential(identity: identity, certificates: nil, persistence: .forSession)
        }

        /// An identity, checked by its run-time type: the compiler considers a cast of a Core Foundation object always valid.
        private static func identity(_ value: Any?) -> SecIdentity? {
            guard let value, CFGetTypeID(value as CFTypeRef) == SecIdentityGetTypeID() else { return nil }
            return ([value] as? [SecIdentity])?.first
        }

        private static func failure(_ message: String) -> TransportError {
            TransportError(.clientCertificateRejected, phase: .queue, message: message)
        }
    }
#endif
