#if os(Linux)
    import CNetCurl
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire

    enum CurlFailure {
        static let shutDown = unsent(.shutDown, "the transport was shut down; create another one")
        static let queueFull = unsent(.queueFull, "too many requests already wait for a connection")
        static let outOfMemory = unsent(.failed, "libcurl has no memory or no thread for another exchange")

        static func unsent(_ code: TransportError.Code, _ message: String) -> TransportError {
            TransportError(code, phase: .queue, message: message)
        }

        static func timedOut(_ limit: PhaseLimit, _ transfer: Transfer) -> TransportError {
            let text = "\(limit.row.timeoutMessage) within \(transfer.parameters.limits[limit] / 1_000_000) ms"
            var failure = make(.timedOut, text, phase: phase(transfer), transfer)
            failure.endsCall = limit == .total
            return failure
        }

        static func isDeadConnection(_ result: Int) -> Bool {
            [CNCE_GOT_NOTHING, CNCE_SEND_ERROR, CNCE_RECV_ERROR, CNCE_PARTIAL_FILE].contains(result)
        }

        static func isAboutTLS(_ result: Int) -> Bool {
            [
                CNCE_SSL_CERTPROBLEM, CNCE_PEER_FAILED_VERIFICATION, CNCE_SSL_CACERT_BADFILE, CNCE_SSL_ISSUER_ERROR,
                CNCE_SSL_PINNEDPUBKEYNOTMATCH, CNCE_SSL_INVALIDCERTSTATUS, CNCE_SSL_CLIENTCERT,
            ].contains(result)
        }

        /// `CURLE_TOO_LARGE`, since libcurl 8.6: a line of the head, or the number of lines, is above the limit.
        private static let tooLarge = 100

        static func error(for result: Int, _ transfer: Transfer, _ handle: EasyHandle) -> TransportError {
            switch handle.refusal {
            case nil: break
            case .tooLarge(let limit): return .tooLarge(limit: limit)
            case .other(let code, let text, let phase):
                return make(code, text, phase: phase ?? self.phase(transfer), transfer)
            }
            let text = text(handle.errorText, result)
            let phase = phase(transfer)
            func fail(_ code: TransportError.Code, in phase: TransportError.Phase) -> TransportError {
                make(code, text, phase: phase, transfer)
            }
            let tlsPhase = handle.connectedAt == 0 ? .tls : phase
            if let (code, phase) = connectionFailure(result, text, handle.easy, usesProxy: false, tlsPhase: tlsPhase) {
                return code == .timedOut ? timedOut(.connect, transfer) : fail(code, in: phase)
            }
            switch result {
            case CNCE_UNSUPPORTED_PROTOCOL, CNCE_WEIRD_SERVER_REPLY: return fail(.invalidResponse, in: .receive)
            case tooLarge where phase == .receive || phase == .wait: return fail(.invalidResponse, in: .receive)
            case CNCE_WRITE_ERROR where phase == .receive, CNCE_OUT_OF_MEMORY where phase == .receive:
                return fail(.invalidResponse, in: .receive)
            case CNCE_GOT_NOTHING, CNCE_SEND_ERROR, CNCE_RECV_ERROR, CNCE_PARTIAL_FILE, CNCE_SEND_FAIL_REWIND,
                // A stream that the server resets, too: to its request that is the end of the connection.
                CNCE_HTTP3:
                return fail(.connectionLost, in: phase)
            default: return fail(.failed, in: phase)
            }
        }

        /// What libcurl says about this failure, or else about its kind.
        private static func text(_ errorText: UnsafePointer<CChar>, _ result: Int) -> String {
            String(cString: errorText.pointee == 0 ? cnc_strerror(result) : errorText)
        }

        private static func connectionFailure(
            _ result: Int,
            _ text: String,
            _ easy: UnsafeMutableRawPointer,
            usesProxy: Bool,
            tlsPhase: TransportError.Phase
        ) -> (TransportError.Code, TransportError.Phase)? {
            if cnc_easy_number(easy, CNCINFO_HTTP_CONNECTCODE) >= 300 { return (.proxyFailed, .connect) }
            if let code = tlsCode(result, text, verifyResult: cnc_easy_number(easy, CNCINFO_SSL_VERIFYRESULT)) {
                return (code, tlsPhase)
            }
            return switch result {
            case CNCE_COULDNT_RESOLVE_HOST: (.cannotResolveHost, .resolve)
            case CNCE_COULDNT_RESOLVE_PROXY: (.proxyFailed, .resolve)
            case CNCE_PROXY: (.proxyFailed, .connect)
            case CNCE_COULDNT_CONNECT: (usesProxy ? .proxyFailed : .cannotConnect, .connect)
            // TLS has its own codes; before the connection is ready, these codes come from the proxy.
            case CNCE_GOT_NOTHING, CNCE_SEND_ERROR, CNCE_RECV_ERROR, CNCE_WEIRD_SERVER_REPLY, CNCE_PARTIAL_FILE,
                tooLarge:
                usesProxy ? (.proxyFailed, .connect) : nil
            case CNCE_OPERATION_TIMEDOUT: (.timedOut, .connect)
            case CNCE_URL_MALFORMAT: (.invalidRequest, .queue)
            default: nil
            }
        }

        static func error(for result: Int, _ transfer: Transfer, _ connector: Connector) -> TransportError {
            if connector.setup.pointee.hasWrongHost {
                return make(.certificateWrongHost, wrongHostMessage, phase: .tls, transfer)
            }
            let text = text(connector.errorText, result)
            let usesProxy = connector.usesProxy(for: transfer)
            let failure = connectionFailure(result, text, connector.easy, usesProxy: usesProxy, tlsPhase: .tls)
            guard let (code, phase) = failure else { return make(.cannotConnect, text, phase: .connect, transfer) }
            return code == .timedOut ? timedOut(.connect, transfer) : make(code, text, phase: phase, transfer)
        }

        static let wrongHostMessage =
            "the certificate's alternative names do not have the server's; a common name does not count"
        static let notRepeatedMessage =
            "the kept connection ended without a response; the request is not idempotent and was not repeated"

        /// Content that arrived whole but cannot be decoded; called on the task that reads it.
        static func error(for fault: BodyDecoder.Fault, _ transfer: Transfer) -> TransportError {
            let (code, text): (TransportError.Code, String) =
                switch fault {
                case .damaged(let coding): (.decompressionFailed, "the content is not valid \(coding.name)")
                case .truncated(let coding):
                    (.decompressionFailed, "the content ended before the end of its \(coding.name)")
                case .unknownCoding: (.decompressionFailed, "the content has a coding that was not requested")
                case .tooLarge: (.responseTooLarge, "the content expands beyond the decompression guard")
                case .noMemory: (.failed, "no memory for decompression")
                }
            return TransportError(
                code,
                phase: .receive,
                message: "\(text) (\(transfer.parameters.destination.redactedText))",
                timings: transfer.outcome.timings.timings(since: transfer.parameters.start)
            )
        }

        static func phase(_ transfer: Transfer) -> TransportError.Phase {
            switch transfer.carrier {
            case .none: return .queue
            case .awaiting: return .connect
            case .multi(let handle) where handle.connectedAt == 0:
                return phase(handle.easy, handle.link.socket, isSecure: true)
            case .multi(let handle): return phase(handle)
            case .connecting(let connector):
                let isSecure = transfer.parameters.destination.isSecure
                return phase(connector.easy, connector.setup.pointee.socket, isSecure: isSecure)
            case .wire(let exchange): return phase(exchange)
            }
        }

        private static func phase(
            _ easy: UnsafeMutableRawPointer,
            _ socket: Int32,
            isSecure: Bool
        ) -> TransportError.Phase {
            if cnc_easy_size(easy, CNCINFO_NAMELOOKUP_TIME_T) == 0 { return .resolve }
            return isSecure && socketIsConnected(socket) ? .tls : .connect
        }

        private static func phase(_ exchange: CurlExchange) -> TransportError.Phase {
            if exchange.receiving.firstByteAt != 0 { return .receive }
            return exchange.sending.sentAt == 0 ? .send : .wait
        }

        /// Whether the server certainly did nothing with the request, or perhaps did; `nil` follows the phase.
        private static func isSafeToResend(_ code: TransportError.Code, _ transfer: Transfer) -> Bool? {
            if transfer.resends.mayHaveBeenProcessed { return false }
            switch transfer.carrier {
            case .none, .awaiting, .connecting: return nil
            case .wire(let exchange): return exchange.sending.progress.evidence == .unprocessed ? true : nil
            case .multi(let handle):
                if handle.link.before.evidence == .possiblyProcessed { return false }
                // The server refused the stream each time: libcurl gave up resending the request.
                guard code == .connectionLost, String(cString: handle.errorText).hasPrefix("Connection died, tried")
                else { return nil }
                return handle.progress.evidence == .unprocessed ? true : nil
            }
        }

        static func make(
            _ code: TransportError.Code,
            _ text: String,
            phase: TransportError.Phase,
            _ transfer: Transfer
        ) -> TransportError {
            var text = text
            // Newer libcurl names the socket's file; a log may show only as much of it as `redactedText`.
            if let path = transfer.parameters.destination.socket?.path { text = text.replacing(path, with: "…") }
            if phase == .connect, case .connecting(let connector) = transfer.carrier,
                let addresses = connector.setup.pointee.loop.addressesTried(by: connector.number)
            {
                text += ", tried \(addresses)"
            }
            var timings = RawTimings(transfer)
            timings.total = (MonotonicTime.now() - transfer.queuedAt) / 1000
            return TransportError(
                code,
                phase: phase,
                message: "\(text) (\(transfer.parameters.destination.redactedText))",
                timings: timings.timings(since: transfer.parameters.start),
                isSafeToResend: isSafeToResend(code, transfer)
            )
        }
    }

    // Failures of TLS, and what libcurl tells only in English sentences, which nothing else reads.
    extension CurlFailure {
        static func tlsCode(_ result: Int, _ text: String, verifyResult: Int) -> TransportError.Code? {
            switch result {
            case CNCE_SSL_PINNEDPUBKEYNOTMATCH: .pinMismatch
            case CNCE_PEER_FAILED_VERIFICATION: certificateCode(verifyResult, text)
            case CNCE_SSL_INVALIDCERTSTATUS: .certificateRevoked
            case CNCE_SSL_CLIENTCERT: .clientCertificateRejected
            case CNCE_SSL_CONNECT_ERROR:
                reportsClientCertificate(text) ? .clientCertificateRejected : .tlsFailed
            // TLS 1.3 servers judge the client's certificate after the handshake.
            case CNCE_RECV_ERROR, CNCE_SEND_ERROR: reportsClientCertificate(text) ? .clientCertificateRejected : nil
            case CNCE_SSL_CERTPROBLEM, CNCE_SSL_CIPHER, CNCE_SSL_CACERT_BADFILE, CNCE_SSL_ISSUER_ERROR: .tlsFailed
            default: nil
            }
        }

        /// From libcurl's message, or from OpenSSL's codes (X509_V_ERR_…) if the message does not tell.
        private static func certificateCode(_ verifyResult: Int, _ text: String) -> TransportError.Code {
            if text.contains("expired") || text.contains("not yet valid") { return .certificateExpired }
            if text.contains("revoked") { return .certificateRevoked }
            if text.contains("subject name") || text.contains("host name") || text.contains("hostname") {
                return .certificateWrongHost
            }
            switch verifyResult {
            case 9, 10: return .certificateExpired
            case 23: return .certificateRevoked
            case 62, 63, 64: return .certificateWrongHost
            default: return .certificateUntrusted
            }
        }

        static func reportsClientCertificate(_ text: String) -> Bool {
            guard text.contains("alert") else { return false }
            return [
                "certificate required", "bad certificate", "unknown ca", "certificate unknown", "certificate expired",
            ]
            .contains { text.contains($0) }
        }
    }
#endif
