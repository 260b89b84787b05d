#if os(Linux)
    import CoreNetKitHTTP
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// What libcurl tells only in English sentences: the one place that reads them.
    ///
    /// Differences between its versions that are not about text are in ``CurlLibrary``.
    enum CurlWords {
        /// It gave up resending a request: each connection was lost before a response.
        static func tellOfGivingUp(_ text: UnsafePointer<CChar>) -> Bool {
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
        static func tellOfClientCertificate(_ text: String) -> Bool {
            guard text.contains("alert") else { return false }
            return [
                "certificate required", "bad certificate", "unknown ca", "certificate unknown", "certificate expired",
            ]
            .contains { text.contains($0) }
        }
    }
#endif
