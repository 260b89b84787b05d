#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitEssentials
    import CoreNetKitWire

    /// How a request is prepared for its lane: done on the calling task, so that the owner thread only passes it on.
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

        let lane: Lane
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
            lane.proxy.map { $0.lowercased().hasPrefix("https:") } ?? destination.isSecure
        }

        init(
            _ request: TransportRequest,
            to destination: borrowing Destination,
            by lane: Lane,
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
            let hasBody = verb == .upload || verb == .post && data?.isEmpty == false
            // A range of coded content cannot be decoded.
            asksForCoding = request.coding == .automatic && !names.hasRange
            var lines = UsualLines.Choice()
            if case .http3 = lane { lines.append(without: names, verb, hasBody: hasBody, usual) }
            let codings = asksForCoding ? usual.codings : request.coding == .identity ? usual.identity : nil
            lines.append(without: names, codings: codings, usual)
            self.lane = lane
            self.verb = verb
            isHead = method == .head
            bodyCount = data?.count ?? 0
            framing = WireRequest.framing(of: verb, data, uploadLength)
            expectsContinue = verb == .upload && names.expectsContinue
            closes = names.closes
            secretNames = names.secret
            let parts = Parts(method: method.rawValue, verb, headers, names, lines, framing, usual)
            if verb == .post, hasBody, let data {
                block = data.withUnsafeBytes { parts.block(to: destination, by: lane, body: $0) }
            } else {
                block = parts.block(to: destination, by: lane, body: .init(start: nil, count: 0))
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

        /// libcurl's own method for a kind of request.
        fileprivate static func method(of verb: Verb) -> String {
            switch verb {
            case .get: "GET"
            case .head: "HEAD"
            case .post: "POST"
            case .upload: "PUT"
            }
        }
    }

    /// What is written for a request, whichever its lane.
    private struct Parts {
        let method: String
        let verb: WireRequest.Verb
        let headers: Headers
        let names: FieldNames
        let lines: UsualLines.Choice
        let framing: RequestFraming
        let usual: UsualLines

        init(
            method: String,
            _ verb: WireRequest.Verb,
            _ headers: Headers,
            _ names: FieldNames,
            _ lines: UsualLines.Choice,
            _ framing: RequestFraming,
            _ usual: UsualLines
        ) {
            (self.method, self.verb, self.headers, self.names) = (method, verb, headers, names)
            (self.lines, self.framing, self.usual) = (lines, framing, usual)
        }

        func block(to destination: borrowing Destination, by lane: Lane, body: UnsafeRawBufferPointer) -> WireBlock {
            if case .wire(let route) = lane {
                return WireBlock(
                    method: method,
                    destination,
                    route,
                    fields: headers.fields,
                    authorizes: !names.hasAuthorization,
                    lines: lines,
                    framing: framing,
                    body: body
                )
            }
            return WireBlock(
                url: destination.url,
                method: method != WireRequest.method(of: verb) ? method : nil,
                // libcurl would name the server with the dot.
                fields: destination.hasDot
                    ? headers.fields + [Headers.Field(name: "Host", value: destination.plainHost)] : headers.fields,
                // libcurl looks at the first such line alone, and would send the request again whenever the server says
                // 417: the waiting is done here, and both lines together send the field.
                leading: names.hasExpect ? usual.noExpect : nil,
                lines: lines,
                body: body
            )
        }
    }

    extension UsualLines.Choice {
        /// Adds lines that keep libcurl from adding fields of its own.
        fileprivate mutating func append(
            without names: FieldNames,
            _ verb: WireRequest.Verb,
            hasBody: Bool,
            _ usual: UsualLines
        ) {
            if !names.hasAccept { append(usual.noAccept) }
            if hasBody, !names.hasExpect { append(usual.noExpect) }
            if verb == .post, !names.hasContentType { append(usual.noContentType) }
        }

        /// Adds `User-Agent` and `Accept-Encoding` if the request has none.
        fileprivate mutating func append(without names: FieldNames, codings: UsualLines.Line?, _ usual: UsualLines) {
            if let userAgent = usual.userAgent, !names.hasUserAgent { append(userAgent) }
            if let codings, !names.hasAcceptEncoding { append(codings) }
        }
    }

    /// Which of the fields that matter to a transport a request has, found in one pass.
    private struct FieldNames {
        var (hasRange, hasAccept, hasExpect, hasContentType) = (false, false, false, false)
        var (hasUserAgent, hasAcceptEncoding, hasAuthorization) = (false, false, false)
        var (expectsContinue, closes) = (false, false)
        var secret: [String] = []

        /// Finds the fields with secrets by the rules, if there are any.
        init(_ headers: Headers, secretsBy rules: SecretRules?) {
            for field in headers.fields {
                let name = field.name
                switch name.utf8.count {
                case 5 where Headers.matches(name, "Range"): hasRange = true
                case 6 where Headers.matches(name, "Accept"): hasAccept = true
                case 6 where Headers.matches(name, "Expect"):
                    hasExpect = true
                    expectsContinue = Headers.matches(field.value, "100-continue")
                case 10 where Headers.matches(name, "User-Agent"): hasUserAgent = true
                case 10 where Headers.matches(name, "Connection"):
                    for option in field.value.split(whereSeparator: { ", \t".contains($0) })
                    where Headers.matches(String(option), "close") {
                        closes = true
                    }
                case 12 where Headers.matches(name, "Content-Type"): hasContentType = true
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
