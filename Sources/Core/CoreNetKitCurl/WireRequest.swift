#if os(Linux)
    import CoreNetKitEssentials
    import CoreNetKitHTTP
    import CoreNetKitWire

    /// A request as HTTP/1.1 sends it, from which HTTP/2 and HTTP/3 take its fields; written on the calling task.
    struct WireRequest {
        /// libcurl's kinds of request; other methods are set separately.
        enum Verb {
            case get, head
            /// Content in one piece, sent with the head.
            case post
            /// Content that is read while it is sent.
            case upload
        }

        /// Content up to this size is copied and sent with the head in one write.
        static let smallBody = 32 << 10

        let route: Route
        let verb: Verb
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
        let hasTrailers: Bool
        /// Fields with secrets beside `Authorization`, for HTTP/2.
        let secretNames: [String]
        /// The head as it is sent, followed by small content: freed by the transfer.
        private let memory: UnsafeMutableRawPointer
        /// The size of the head, and of the head with its content.
        let (headCount, count): (Int, Int)

        var bytes: UnsafeRawPointer { UnsafeRawPointer(memory) }
        var head: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: headCount) }
        var body: UnsafeRawBufferPointer { .init(start: memory + headCount, count: count - headCount) }

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
            (closes, hasTrailers) = (names.closes, !request.body.trailers.isEmpty)
            secretNames = names.secret
            (memory, headCount, count) = (verb == .post ? data ?? Data() : Data()).withUnsafeBytes { body in
                WireRequest.write(
                    method.rawValue,
                    destination,
                    route,
                    fields: headers.announcing(request.body.trailers).fields,
                    authorizes: !names.hasAuthorization,
                    lines: (names.hasUserAgent ? nil : usual.userAgent, names.hasAcceptEncoding ? nil : codings),
                    framing: framing,
                    body: body
                )
            }
        }

        func free() { memory.deallocate() }

        private static func framing(of verb: Verb, _ data: Data?, _ uploadLength: Int64?) -> RequestFraming {
            switch verb {
            case .get, .head: .none
            case .post: .length(Int64(data?.count ?? 0))
            case .upload: uploadLength.map { .length($0) } ?? .chunked
            }
        }

        private static func verb(_ method: HTTPMethod, _ body: RequestBody, _ data: Data?) -> Verb {
            guard body.isEmpty || data?.isEmpty == true else {
                return data.map { $0.count <= smallBody } == true ? .post : .upload
            }
            switch method {
            case .head: return .head
            // Methods with meaningful content say that there is none, `Content-Length: 0` (RFC 9110, 8.6).
            case .post, .put, .patch: return .post
            default: return .get
            }
        }
    }

    extension Headers {
        /// With the names of trailers, unless the caller names them (RFC 9110, 6.6.2).
        fileprivate func announcing(_ trailers: [RequestBody.Trailer]) -> Headers {
            guard !trailers.isEmpty, !contains("Trailer") else { return self }
            var headers = self
            headers["Trailer"] = trailers.map(\.name).joined(separator: ", ")
            return headers
        }
    }

    /// Which of the fields that matter to a transport a request has, found in one pass.
    private struct FieldNames {
        var (hasRange, hasUserAgent, hasAcceptEncoding, hasAuthorization) = (false, false, false, false)
        var (expectsContinue, closes) = (false, false)
        var secret: [String] = []

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

    extension WireRequest {
        /// Writes a request as it is sent (RFC 9112, 3), if it `authorizes`, with the URL's user and password.
        private static func write(
            _ method: String,
            _ destination: borrowing Destination,
            _ route: Route,
            fields: [Headers.Field],
            authorizes: Bool,
            lines: ([UInt8]?, [UInt8]?),
            framing: RequestFraming,
            body: UnsafeRawBufferPointer
        ) -> (UnsafeMutableRawPointer, headCount: Int, count: Int) {
            var proxyAuthorization: String?
            var isForwarded = false
            if case .forward(_, let authorization) = route { (proxyAuthorization, isForwarded) = (authorization, true) }
            let authorization = destination.isUnusual && authorizes ? destination.credentials : nil
            var size = RequestWriter.overhead + method.utf8.count + 3 * destination.url.utf8.count + body.count
            for field in fields { size += field.name.utf8.count + field.value.utf8.count + RequestWriter.fieldOverhead }
            if let line = lines.0 { size += line.count + 2 }
            if let line = lines.1 { size += line.count + 2 }
            if let proxyAuthorization { size += proxyAuthorization.utf8.count + 24 }
            if let authorization { size += authorization.utf8.count + 24 }
            let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
            var writer = RequestWriter(memory)
            writer.begin(method, destination, isForwarded: isForwarded)
            if let proxyAuthorization { writer.field("Proxy-Authorization", proxyAuthorization) }
            if let authorization { writer.field("Authorization", authorization) }
            for field in fields { writer.field(field.name, field.value) }
            if let line = lines.0 { writer.write(line) }
            if let line = lines.1 { writer.write(line) }
            writer.endHead(framing)
            let headCount = writer.count
            writer.write(body)
            return (memory, headCount, writer.count)
        }
    }

    extension RequestWriter {
        @inline(__always)
        fileprivate mutating func begin(_ method: String, _ destination: borrowing Destination, isForwarded: Bool) {
            let unusualHost = destination.isUnusual ? destination.plainHost : nil
            var url = destination.url
            write(method)
            write(" ")
            if isForwarded {
                write(destination.isSecure ? "https://" : "http://")
                if let unusualHost { write(unusualHost) } else { write(&url, destination.host) }
            }
            if destination.needsSlash { write("/") }
            write(&url, destination.target)
            write(" HTTP/1.1\r\nHost: ")
            if let unusualHost { write(unusualHost) } else { write(&url, destination.host) }
            endLine()
        }

        @inline(__always)
        fileprivate mutating func write(_ line: [UInt8]) {
            line.withUnsafeBytes { write($0) }
            endLine()
        }
    }

    /// The lines added to requests without such a field.
    final class UsualLines: Sendable {
        let identity = Array("Accept-Encoding: identity".utf8)
        let userAgent: [UInt8]?
        /// The codings that can be decoded here; `nil` if there are none.
        let codings: [UInt8]?

        init(userAgent: String?, codings: [String]) {
            self.userAgent = userAgent.map { Array("User-Agent: \($0)".utf8) }
            self.codings = codings.isEmpty ? nil : Array("Accept-Encoding: \(codings.joined(separator: ", "))".utf8)
        }
    }
#endif
