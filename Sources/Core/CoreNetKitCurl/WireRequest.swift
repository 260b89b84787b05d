#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitEssentials
    import CoreNetKitWire

    /// A request as HTTP/1.1 sends it: written on the calling task, so that the owner thread only passes it on.
    ///
    /// HTTP/2 and HTTP/3 take its fields from that form.
    struct WireRequest {
        /// libcurl's kinds of request; other methods are set separately.
        enum Verb {
            case get
            case head
            /// Content in one piece, sent with the head.
            case post
            /// Content that is read while it is sent.
            case upload
        }

        /// Content up to this size is copied and sent with the head in one write.
        static let smallBody = 32 << 10

        let route: Route
        let verb: Verb
        let block: WireBlock
        let bodyCount: Int
        /// How content that is read while it is sent is delimited.
        let framing: RequestFraming
        let isHead: Bool
        /// Whether the codings that can be decoded are asked for, and are decoded.
        let asksForCoding: Bool
        /// Whether to wait with the content until the server asks for it (RFC 9110, 10.1.1).
        let expectsContinue: Bool
        /// Whether the connection is not to be used again (RFC 9112, 9.6).
        let closes: Bool
        /// Fields with secrets beside `Authorization`, for HTTP/2.
        let secretNames: [String]

        /// A HEAD with content: libcurl would wait for a response's content, so the loop ends it after the head.
        var endsAtHead: Bool { isHead && (verb == .post || verb == .upload) }

        /// Whether what libcurl makes of the connection is more than a socket: TLS to the server, or to the proxy.
        func isEncrypted(to destination: borrowing Destination) -> Bool {
            route.proxy.map { $0.lowercased().hasPrefix("https:") } ?? destination.isSecure
        }

        init(
            _ request: TransportRequest,
            to destination: borrowing Destination,
            by route: Route,
            uploadLength: Int64?,
            mayShare: Bool,
            _ usual: UsualLines
        ) throws(TransportError) {
            let method = request.method
            let headers = request.headers
            try FieldCheck.check(method: method, headers: headers)
            var data: Data?
            if case .bytes(let bytes) = request.body.content { data = bytes }
            let names = FieldNames(headers, secretsBy: mayShare ? request.secrets : nil)
            let verb = WireRequest.verb(method, request.body, data)
            // A range of coded content cannot be decoded.
            asksForCoding = request.coding == .automatic && !names.hasRange
            let codings = asksForCoding ? usual.codings : request.coding == .identity ? usual.identity : nil
            let framing = WireRequest.framing(of: verb, data, uploadLength)
            self.route = route
            self.verb = verb
            isHead = method == .head
            bodyCount = data?.count ?? 0
            self.framing = framing
            expectsContinue = verb == .upload && names.expectsContinue
            closes = names.closes
            secretNames = names.secret
            block = (verb == .post ? data ?? Data() : Data()).withUnsafeBytes { body in
                WireBlock(
                    method: method.rawValue,
                    destination,
                    route,
                    fields: headers.fields,
                    authorizes: !names.hasAuthorization,
                    lines: (names.hasUserAgent ? nil : usual.userAgent, names.hasAcceptEncoding ? nil : codings),
                    framing: framing,
                    body: body
                )
            }
        }

        private static func framing(of verb: Verb, _ data: Data?, _ uploadLength: Int64?) -> RequestFraming {
            switch verb {
            case .get, .head: .none
            case .post: .length(Int64(data?.count ?? 0))
            case .upload: uploadLength.map { .length($0) } ?? .chunked
            }
        }

        private static func verb(_ method: HTTPMethod, _ body: RequestBody, _ data: Data?) -> Verb {
            guard !body.isEmpty, data?.isEmpty != true else { return verbWithoutBody(method) }
            guard let data, data.count <= smallBody else { return .upload }
            return .post
        }

        /// Methods with meaningful content say that there is none, `Content-Length: 0` (RFC 9110, 8.6).
        private static func verbWithoutBody(_ method: HTTPMethod) -> Verb {
            switch method {
            case .head: .head
            case .post, .put, .patch: .post
            default: .get
            }
        }
    }

    /// Which of the fields that matter to a transport a request has, found in one pass.
    private struct FieldNames {
        var (hasRange, hasUserAgent, hasAcceptEncoding, hasAuthorization) = (false, false, false, false)
        var (expectsContinue, closes) = (false, false)
        var secret: [String] = []

        /// Finds the fields with secrets by the rules, if there are any.
        init(_ headers: Headers, secretsBy rules: SecretRules?) {
            for field in headers.fields {
                let name = field.name
                switch name.utf8.count {
                case 5 where Headers.matches(name, "Range"): hasRange = true
                case 6 where Headers.matches(name, "Expect"):
                    expectsContinue = Headers.matches(field.value, "100-continue")
                case 10 where Headers.matches(name, "User-Agent"): hasUserAgent = true
                case 10 where Headers.matches(name, "Connection"):
                    for option in field.value.split(whereSeparator: { ", \t".contains($0) })
                    where Headers.matches(String(option), "close") {
                        closes = true
                    }
                case 13 where Headers.matches(name, "Authorization"): hasAuthorization = true
                case 15 where Headers.matches(name, "Accept-Encoding"): hasAcceptEncoding = true
                default:
                    guard let rules, !rules.isCommon(field: name) else { continue }
                    if rules.verdict(field: name) != .harmless { secret.append(name) }
                }
            }
        }
    }
#endif
