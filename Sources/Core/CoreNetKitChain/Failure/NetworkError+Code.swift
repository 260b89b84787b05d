package import CoreNetKitHTTP

extension NetworkError {
    /// The class of failure: an open set, new codes may be added with any version.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Name: Hashable {
            case missingRoute, invalidURL, invalidRequest, unsupportedValue, encodingFailed
            case transport(TransportError.Code)
            case tooManyRedirects, redirectRefused
            case badRequest, unauthorized, forbidden, notFound, internalServerError, unacceptableStatus
            case emptyBody, decodingFailed, invalidChain, nodeFailed
            case deadlineExceeded, circuitOpen, rateLimited, tokenRefreshFailed, userChanged
            case reportedByServer, notStored
        }

        private let name: Name
        private init(_ name: Name) { self.name = name }

        /// `process` was called on a chain whose builder had no `route(_:_:)`.
        public static let missingRoute = Code(.missingRoute)
        /// The route does not give an absolute http or https URL.
        public static let invalidURL = Code(.invalidURL)
        /// The request cannot be sent: a method, field or timeout is not valid.
        public static let invalidRequest = Code(.invalidRequest)
        /// A value of `[String: Any]` cannot be represented on the wire; the message names its key.
        public static let unsupportedValue = Code(.unsupportedValue)
        /// The model could not be encoded.
        public static let encodingFailed = Code(.encodingFailed)

        /// More redirects than the limit.
        public static let tooManyRedirects = Code(.tooManyRedirects)
        /// A redirect that must not be followed: https to http, another scheme, a body that cannot be sent again.
        public static let redirectRefused = Code(.redirectRefused)

        /// Status 400.
        public static let badRequest = Code(.badRequest)
        /// Status 401.
        public static let unauthorized = Code(.unauthorized)
        /// Status 403.
        public static let forbidden = Code(.forbidden)
        /// Status 404.
        public static let notFound = Code(.notFound)
        /// Status 500.
        public static let internalServerError = Code(.internalServerError)
        /// Any other status outside 200...299; ``NetworkError/status`` has it.
        public static let unacceptableStatus = Code(.unacceptableStatus)

        /// The response has no content, but its model needs some.
        public static let emptyBody = Code(.emptyBody)
        /// The content does not match the model; the message has the coding path.
        public static let decodingFailed = Code(.decodingFailed)
        /// The chain was assembled in an order that cannot work; the message says which nodes.
        public static let invalidChain = Code(.invalidChain)
        /// Your own node threw an error of another type; it is the cause.
        public static let nodeFailed = Code(.nodeFailed)

        /// The deadline of the whole call passed; the phase says in which part.
        public static let deadlineExceeded = Code(.deadlineExceeded)
        /// The circuit breaker is open; the message says when it will try again.
        public static let circuitOpen = Code(.circuitOpen)
        /// A limit of the client would be exceeded within the deadline.
        public static let rateLimited = Code(.rateLimited)
        /// No token: the refresh failed; its error is the cause.
        public static let tokenRefreshFailed = Code(.tokenRefreshFailed)
        /// Another user has signed in, or the user has signed out, since the call began: it is not finished with the new
        /// user's credentials.
        public static let userChanged = Code(.userChanged)

        /// The server reports, inside an accepted response, that the request failed; the cause has its report.
        public static let reportedByServer = Code(.reportedByServer)

        /// The request should have been stored before sending, but could not be; the cause says why.
        public static let notStored = Code(.notStored)

        /// The transport lacks the capability that the request needs.
        public static let unsupported = Code(.transport(.unsupported))
        /// The host name is unknown, or the name service did not respond.
        public static let cannotResolveHost = Code(.transport(.cannotResolveHost))
        /// No connection: refused, unreachable.
        public static let cannotConnect = Code(.transport(.cannotConnect))
        /// The proxy rejected the connection or failed.
        public static let proxyFailed = Code(.transport(.proxyFailed))
        /// A limit of `Timeouts` was reached; the phase says which part was running.
        public static let timedOut = Code(.transport(.timedOut))
        /// The connection ended before the response was complete.
        public static let connectionLost = Code(.transport(.connectionLost))
        /// The server's response is not valid HTTP.
        public static let invalidResponse = Code(.transport(.invalidResponse))
        /// The content is larger than the limit.
        public static let responseTooLarge = Code(.transport(.responseTooLarge))
        /// The content does not decompress.
        public static let decompressionFailed = Code(.transport(.decompressionFailed))
        /// The request body had more or fewer bytes than its declared length.
        public static let bodyLengthMismatch = Code(.transport(.bodyLengthMismatch))
        /// The request body's sequence or file failed while it was read.
        public static let requestBodyFailed = Code(.transport(.requestBodyFailed))
        /// The response could not be written to its file.
        public static let fileFailed = Code(.transport(.fileFailed))
        /// The server's certificate has expired or is not valid yet.
        public static let certificateExpired = Code(.transport(.certificateExpired))
        /// The server's certificate is for another host.
        public static let certificateWrongHost = Code(.transport(.certificateWrongHost))
        /// The server's certificate has no trusted issuer.
        public static let certificateUntrusted = Code(.transport(.certificateUntrusted))
        /// The server's certificate was revoked.
        public static let certificateRevoked = Code(.transport(.certificateRevoked))
        /// The server wants a client certificate, or another one.
        public static let clientCertificateRejected = Code(.transport(.clientCertificateRejected))
        /// The server's public key does not match a pinned one.
        public static let pinMismatch = Code(.transport(.pinMismatch))
        /// TLS failed otherwise.
        public static let tlsFailed = Code(.transport(.tlsFailed))
        /// HTTP/2 framing failed, or the server reset the stream.
        public static let http2Failed = Code(.transport(.http2Failed))
        /// The transport was shut down.
        public static let shutDown = Code(.transport(.shutDown))
        /// Too many requests already wait for a connection, so the transport accepts no more.
        public static let queueFull = Code(.transport(.queueFull))
        /// A failure of the transport that has no code of its own.
        public static let transportFailed = Code(.transport(.failed))

        package init(transport code: TransportError.Code) {
            self.init(code == .invalidRequest ? .invalidRequest : .transport(code))
        }

        package init(status: Int) {
            switch status {
            case 400: self = .badRequest
            case 401: self = .unauthorized
            case 403: self = .forbidden
            case 404: self = .notFound
            case 500: self = .internalServerError
            default: self = .unacceptableStatus
            }
        }

        /// The code's name.
        public var description: String {
            if case .transport(let code) = name {
                return code == .failed ? "transportFailed" : code.description
            }
            return "\(name)"
        }
    }
}
