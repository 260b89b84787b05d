#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitEssentials

    /// How a request is put to libcurl: worked out on the calling task, so that the owner thread only sets options.
    struct WireRequest {
        /// libcurl's kinds of request; a method it would not choose itself goes beside it.
        enum Verb {
            case get
            case head
            /// Content in one piece, sent with the head.
            case post
            /// Content that is read while it is sent.
            case upload
        }

        /// Content up to this size is copied and leaves with the head in one write.
        static let smallBody = 32 << 10

        let verb: Verb
        let block: WireBlock
        let bodyCount: Int
        /// A HEAD with content: libcurl would wait for a response's content, so the loop ends it at the head.
        let endsAtHead: Bool
        /// Whether the codings that can be undone are asked for, and are undone.
        let asksForCoding: Bool

        init(_ request: TransportRequest, url: String, _ usual: UsualLines) throws(TransportError) {
            let method = request.method
            let headers = request.headers
            let requestBody = request.body
            try FieldCheck.check(method: method, headers: headers)
            var data = Data()
            var isData = false
            if case .bytes(let bytes) = requestBody.content { (data, isData) = (bytes, true) }
            let hasBody = !requestBody.isEmpty && !(isData && data.isEmpty)
            let verb: Verb
            if hasBody {
                verb = isData && data.count <= WireRequest.smallBody ? .post : .upload
            } else {
                verb = WireRequest.verbWithoutBody(method)
            }
            // A part of something that is coded cannot be decoded.
            let coding = request.coding
            asksForCoding = coding == .automatic && !headers.contains("Range")
            var lines = UsualLines.Choice()
            if !headers.contains("Accept") { lines.append(usual.noAccept) }
            if hasBody, !headers.contains("Expect") { lines.append(usual.noExpect) }
            if verb == .post, !headers.contains("Content-Type") { lines.append(usual.noContentType) }
            if let userAgent = usual.userAgent, !headers.contains("User-Agent") { lines.append(userAgent) }
            if coding == .identity || asksForCoding, !headers.contains("Accept-Encoding") {
                if let line = asksForCoding ? usual.codings : usual.identity { lines.append(line) }
            }
            let isOwnMethod = method.rawValue != WireRequest.method(of: verb)
            func make(_ body: UnsafeRawBufferPointer) -> WireBlock {
                WireBlock(
                    url: url,
                    method: isOwnMethod ? method.rawValue : nil,
                    fields: headers.fields,
                    lines: lines,
                    body: body
                )
            }
            self.verb = verb
            endsAtHead = hasBody && method == .head
            bodyCount = data.count
            block = verb == .post && hasBody ? data.withUnsafeBytes(make) : make(.init(start: nil, count: 0))
        }

        /// Methods whose content has a meaning say that there is none, `Content-Length: 0` (RFC 9110, 8.6).
        private static func verbWithoutBody(_ method: HTTPMethod) -> Verb {
            switch method {
            case .head: .head
            case .post, .put, .patch: .post
            default: .get
            }
        }

        private static func method(of verb: Verb) -> String {
            switch verb {
            case .get: "GET"
            case .head: "HEAD"
            case .post: "POST"
            case .upload: "PUT"
            }
        }
    }
#endif
