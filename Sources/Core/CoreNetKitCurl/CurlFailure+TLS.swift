#if os(Linux)
    import CoreNetKitHTTP
    import CNetCurl
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    // Failures of TLS, and what libcurl tells only in English sentences: the one place that reads them. Differences between its
    // versions that are not about text are in `CurlLibrary`.
    extension CurlFailure {
        /// The part of TLS that failed, or `nil` if the failure is another one.
        static func tlsCode(_ result: Int, _ text: String, verify: Int) -> TransportError.Code? {
            switch result {
            case CNCE_SSL_PINNEDPUBKEYNOTMATCH: .pinMismatch
            case CNCE_PEER_FAILED_VERIFICATION: certificateCode(verify, text)
            case CNCE_SSL_INVALIDCERTSTATUS: .certificateRevoked
            case CNCE_SSL_CLIENTCERT: .clientCertificateRejected
            case CNCE_SSL_CONNECT_ERROR:
                tellsOfClientCertificate(text) ? .clientCertificateRejected : .tlsFailed
            // TLS 1.3 servers judge the client's certificate after the handshake.
            case CNCE_RECV_ERROR, CNCE_SEND_ERROR:
                tellsOfClientCertificate(text) ? .clientCertificateRejected : nil
            case CNCE_SSL_CERTPROBLEM, CNCE_SSL_CIPHER, CNCE_SSL_CACERT_BADFILE, CNCE_SSL_ISSUER_ERROR: .tlsFailed
            default: nil
            }
        }

        /// From libcurl's message, or from OpenSSL's codes (X509_V_ERR_…) if the message does not tell.
        private static func certificateCode(_ verify: Int, _ text: String) -> TransportError.Code {
            if let fault = certificateFault(in: text) { return fault }
            switch verify {
            case 9, 10: return .certificateExpired
            case 23: return .certificateRevoked
            case 62, 63, 64: return .certificateWrongHost
            default: return .certificateUntrusted
            }
        }

        /// It gave up resending a request: each connection was lost before a response.
        static func tellsOfGivingUp(_ text: UnsafePointer<CChar>) -> Bool {
            strncmp(text, "Connection died, tried", 22) == 0
        }

        /// What is wrong with the server's certificate; `nil` if the text does not tell.
        static func certificateFault(in text: String) -> TransportError.Code? {
            if text.contains("expired") || text.contains("not yet valid") { return .certificateExpired }
            if text.contains("revoked") { return .certificateRevoked }
            if text.contains("subject name") || text.contains("host name") || text.contains("hostname") {
                return .certificateWrongHost
            }
            return nil
        }

        /// The server does not accept the client's certificate, or wants one.
        static func tellsOfClientCertificate(_ text: String) -> Bool {
            guard text.contains("alert") else { return false }
            return [
                "certificate required", "bad certificate", "unknown ca", "certificate unknown", "certificate expired",
            ]
            .contains { text.contains($0) }
        }

        static func systemText(_ number: Int32) -> String { String(cString: strerror(number)) }
    }
#endif
