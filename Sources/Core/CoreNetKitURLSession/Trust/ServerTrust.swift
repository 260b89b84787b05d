#if canImport(Security)
    import CoreNetKitHTTP
    import Dispatch
    import Foundation
    import Security

    /// Checks a server's certificates by the system, against custom authorities if there are any, and then the pins.
    struct ServerTrust: Sendable {
        typealias Refusal = (code: TransportError.Code, message: String)

        let rule: TrustRule
        /// The delegate's queue, on which the system requires the check.
        let queue: DispatchQueue

        /// Checks, possibly with network requests about revocation, and calls back on the queue, without a refusal if it is accepted.
        func check(_ trust: SecTrust, of host: String, then done: @escaping @Sendable (SecTrust, Refusal?) -> Void) {
            if let authorities = rule.authorities {
                let anchors = authorities.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
                guard SecTrustSetAnchorCertificates(trust, anchors as CFArray) == errSecSuccess,
                    SecTrustSetAnchorCertificatesOnly(trust, true) == errSecSuccess
                else { return done(trust, (.tlsFailed, "the certificate authorities could not be set")) }
            }
            let rule = rule
            let status = SecTrustEvaluateAsyncWithError(trust, queue) { trust, isTrusted, error in
                guard isTrusted else { return done(trust, Self.refusal(error.map { Int(CFErrorGetCode($0)) })) }
                let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate]
                let own = chain?.first.map { SecCertificateCopyData($0) as Data }
                guard rule.accepts(own, of: host) else {
                    return done(trust, (.pinMismatch, "the server's certificate does not match a pinned one"))
                }
                done(trust, nil)
            }
            if status != errSecSuccess { done(trust, (.tlsFailed, "the certificate could not be checked: \(status)")) }
        }

        private static func refusal(_ status: Int?) -> Refusal {
            switch status {
            case Int(errSecCertificateExpired), Int(errSecCertificateNotValidYet):
                (.certificateExpired, "the certificate has expired or is not valid yet")
            case Int(errSecHostNameMismatch): (.certificateWrongHost, "the certificate is for another host")
            case Int(errSecCertificateRevoked): (.certificateRevoked, "the certificate was revoked")
            default: (.certificateUntrusted, "the certificate is not trusted (\(status ?? 0))")
            }
        }
    }
#endif
