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
        /// Whether a refused stream is the only end of an HTTP/2 request without any words; read in 7.88's source, unknown
        /// for others.
        static let lackRefusedStreams = CurlLibrary.version >> 8 == 0x0758

        /// Whether messages for logs tell that a stream was refused: since 8.0.
        static let haveRefusedStreams = CurlLibrary.version >= 0x080000

        /// It gave up resending a request: each connection was lost before a response.
        static func tellOfGivingUp(_ text: UnsafePointer<CChar>) -> Bool {
            strncmp(text, "Connection died, tried", 22) == 0
        }

        /// An HTTP/2 stream was refused: the server has done nothing with its request (RFC 9113, 8.7).
        static func tellOfRefusedStream(_ text: UnsafeRawBufferPointer) -> Bool {
            guard let start = text.baseAddress, text.count > 40, memcmp(start, "HTTP/2 stream ", 14) == 0 else {
                return false
            }
            return String(decoding: text, as: UTF8.self).contains(" refused by server")
        }

        /// A chunk is malformed, or a line of the head is too large, which has no code of its own before 8.6.
        static func tellOfMalformedMessage(_ text: String) -> Bool {
            text.contains("hunk") || text.contains("Too large")
        }

        /// An HTTP/2 field is malformed, and so is the response (RFC 9113, 8.1.1).
        static func tellOfMalformedField(_ text: String) -> Bool {
            text.contains("Invalid HTTP header field")
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
