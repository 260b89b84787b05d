import CoreNetKitHTTP
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Converts `URLSession`'s errors to errors with a phase.
enum SessionFailure {
    static func make(
        _ code: TransportError.Code,
        _ message: String,
        in phase: TransportError.Phase? = nil,
        _ exchange: SessionExchange
    ) -> TransportError {
        let (phase, timings) = (phase ?? self.phase(exchange), exchange.times.timings)
        return TransportError(code, phase: phase, message: "\(message) (\(exchange.plan.host))", timings: timings)
    }

    static func make(_ error: any Error, _ exchange: SessionExchange) -> TransportError {
        let (code, phase) = classify(error)
        return make(code, (error as NSError).localizedDescription, in: phase, exchange)
    }

    /// The code of an error, and the phase if the error reveals it.
    static func classify(_ error: any Error) -> (TransportError.Code, TransportError.Phase?) {
        guard let error = error as? URLError else { return (.failed, nil) }
        return classify(error.code) ?? classify(text: (error as NSError).localizedDescription)
    }

    /// The phase of the exchange; before the first activity it is a guess on the safe side.
    static func phase(_ exchange: SessionExchange) -> TransportError.Phase {
        switch exchange.stage {
        case .preparing, .queued, .done: .queue
        case .opening: exchange.plan.hasBody ? .send : .wait
        case .sending: .send
        case .waiting: .wait
        case .receiving: .receive
        }
    }

    private typealias Class = (TransportError.Code, TransportError.Phase?)

    private static func classify(_ code: URLError.Code) -> Class? {
        switch code {
        case .cannotFindHost, .dnsLookupFailed: return (.cannotResolveHost, .resolve)
        case .cannotConnectToHost, .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
            return (.cannotConnect, .connect)
        case .networkConnectionLost: return (.connectionLost, nil)
        case .timedOut: return (.timedOut, nil)
        case .badURL: return (.invalidRequest, .queue)
        case .cannotParseResponse: return (.invalidResponse, .receive)
        case .cannotDecodeRawData, .cannotDecodeContentData: return (.decompressionFailed, .receive)
        case .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile, .requestBodyStreamExhausted:
            return (.requestBodyFailed, .send)
        case .serverCertificateHasBadDate, .serverCertificateNotYetValid: return (.certificateExpired, .tls)
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot: return (.certificateUntrusted, .tls)
        case .clientCertificateRejected, .clientCertificateRequired: return (.clientCertificateRejected, .tls)
        case .secureConnectionFailed: return (.tlsFailed, .tls)
        #if canImport(FoundationNetworking)
            // An empty reply, and a protocol that libcurl does not recognise as HTTP.
            case .badServerResponse: return (.connectionLost, nil)
            case .unsupportedURL: return (.invalidResponse, .receive)
        #else
            case .badServerResponse: return (.invalidResponse, .receive)
        #endif
        default: return nil
        }
    }

    /// Most failures on Linux have no code, only libcurl's text.
    private static func classify(text: String) -> Class {
        for (words, result) in texts where words.contains(where: text.contains) { return result }
        return (.failed, nil)
    }

    private static let texts: [(words: [String], result: Class)] = [
        (["certificate has expired", "certificate is not yet valid"], (.certificateExpired, .tls)),
        (["subject name", "does not match target host"], (.certificateWrongHost, .tls)),
        (["self-signed", "self signed", "issuer certificate"], (.certificateUntrusted, .tls)),
        (["certificate required", "bad certificate"], (.clientCertificateRejected, .tls)),
        (["SSL certificate problem"], (.certificateUntrusted, .tls)),
        (["HTTP/2 stream", "HTTP2 framing"], (.http2Failed, nil)),
        (["unencoding", "content encoding"], (.decompressionFailed, .receive)),
        (
            ["hunk", "riting", "Header without colon", "ontent-Length", "tatus line", "HTTP version", "oo large"],
            (.invalidResponse, .receive)
        ),
        (
            ["transfer closed", "Recv failure", "Send failure", "Empty reply", "Connection reset", "Connection died"],
            (.connectionLost, nil)
        ),
        (["SSL", "TLS"], (.tlsFailed, .tls)),
        (["onnect to", "onnection refused"], (.cannotConnect, .connect)),
    ]
}
