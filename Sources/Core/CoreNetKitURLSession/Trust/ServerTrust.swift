#if canImport(Security)
    import CoreNetKitHTTP
    import Dispatch
    import Foundation
    import Security

    /// Checks a server's certificates by the system, against custom authorities if there are any, and then the pins.
    struct ServerTrust: Sendable {
        enum Verdict: Sendable {
            case accepted
            case refused(TransportError.Code, String)
        }

        let rule: TrustRule
        /// The delegate's queue, on which the system requires the check.
        let queue: DispatchQueue

        /// Checks, possibly with network requests about revocation, and calls back on the queue.
        func check(_ trust: SecTrust, of host: String, then done: @escaping @Sendable (SecTrust, Verdict) -> Void) {
            if let authorities = rule.authorities {
                let anchors = authorities.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
                guard SecTrustSetAnchorCertificates(trust, anchors as CFArray) == errSecSuccess,
                    SecTrustSetAnchorCertificatesOnly(trust, true) == errSecSuccess
                else { return done(trust, .refused(.tlsFailed, "the certificate authorities could not be set")) }
            }
            let rule = rule
            let status = SecTrustEvaluateAsyncWithError(trust, queue) { trust, isTrusted, error in
                guard isTrusted else {
                    return done(trust, Self.refusal(error.map { Int(CFErrorGetCode($0)) }))
                }
                let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate]
                let own = chain?.first.map { SecCertificateCopyData($0) as Data }
                guard rule.accepts(own, of: host) else {
                    return done(trust, .refused(.pinMismatch, "the server's certificate does not match a pinned one"))
                }
                done(trust, .accepted)
            }
            if status != errSecSuccess {
                done(trust, .refused(.tlsFailed, "the certificate could not be checked: \(status)"))
            }
        }

        private static func refusal(_ status: Int?) -> Verdict {
            switch status {
            case Int(errSecCertificateExpired), Int(errSecCertificateNotValidYet):
                .refused(.certificateExpired, "the certificate has expired or is not valid yet")
            case Int(errSecHostNameMismatch): .refused(.certificateWrongHost, "the certificate is for another host")
            case Int(errSecCertificateRevoked): .refused(.certificateRevoked, "the certificate was revoked")
            default: .refused(.certificateUntrusted, "the certificate is not trusted (\(status ?? 0))")
            }
        }
    }
#endif
