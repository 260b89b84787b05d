#if os(Linux)
    import CNetHTTP2
    import CoreNetKitHTTP

    package struct HTTP2RequestForm: Hashable, Sendable {
        package var isSecure: Bool
        /// Whether it is the handshake of a WebSocket, which becomes an extended CONNECT (RFC 8441, 4).
        package var isWebSocket = false
        /// Names of fields with secrets, beside `Authorization`: no table of the compression keeps them (RFC 7541, 7.1.3).
        package var secretNames: [String] = []

        package init(isSecure: Bool, isWebSocket: Bool = false, secretNames: [String] = []) {
            (self.isSecure, self.isWebSocket, self.secretNames) = (isSecure, isWebSocket, secretNames)
        }

        func isSecret(_ head: UnsafeRawBufferPointer, _ name: Range<Int>) -> Bool {
            if name.count == 13, ASCII.matches(head, name, "authorization") { return true }
            return secretNames.contains { secret in
                secret.utf8.count == name.count
                    && zip(secret.utf8, head[name]).allSatisfy { ASCII.lowered($0) == ASCII.lowered($1) }
            }
        }
    }

    /// Fields of a request as HTTP/2 sends them, read in place from the head of HTTP/1.1 (RFC 9113, 8.3.1), which is
    /// written before it is known what its connection speaks.
    struct HTTP2Fields {
        /// They refer to the head.
        private(set) var lines: [cnh_field] = []
        private static let (method, scheme, authority, path, protocolName) = (
            StaticString(":method"), StaticString(":scheme"), StaticString(":authority"), StaticString(":path"),
            StaticString(":protocol")
        )

        mutating func read(_ head: UnsafeRawBufferPointer, _ form: HTTP2RequestForm) throws(HTTP2Fault) {
            lines.removeAll(keepingCapacity: true)
            guard let end = ASCII.find(0x0A, in: head, from: 0), end > 0, head[end - 1] == 0x0D,
                let first = ASCII.find(0x20, in: head, from: 0), first > 0, first < end
            else { throw .request }
            // The target ends before ` HTTP/1.1`.
            let target = first + 1..<max(first + 1, end - 10)
            guard !target.isEmpty, head[target.upperBound] == 0x20 else { throw .request }
            if form.isWebSocket {
                add(Self.method, StaticString("CONNECT"))
                add(Self.protocolName, StaticString("websocket"))
            } else {
                add(Self.method, head, 0..<first)
            }
            add(Self.scheme, form.isSecure ? StaticString("https") : StaticString("http"))
            add(Self.path, head, target)
            let ownFields = lines.count
            guard let named = try add(head, from: end + 1, without: nil, form) else { return }
            lines.removeSubrange(ownFields...)
            _ = try add(head, from: end + 1, without: named, form)
        }

        /// - Returns: The value of `Connection`, which names fields that end with it (RFC 9110, 7.6.1).
        private mutating func add(
            _ head: UnsafeRawBufferPointer,
            from start: Int,
            without named: Range<Int>?,
            _ form: HTTP2RequestForm
        ) throws(HTTP2Fault) -> Range<Int>? {
            var (position, connection) = (start, Range<Int>?.none)
            while let (line, next) = FieldLine.line(head, from: position) {
                position = next
                if line.name.count == 10, ASCII.matches(head, line.name, "connection") { connection = line.value }
                add(line, head, named, form)
            }
            guard head.count == position + 2 else { throw .request }
            return connection
        }

        /// A field of the request, unless it is about an HTTP/1.1 connection (RFC 9113, 8.2.2).
        private mutating func add(
            _ line: FieldLine,
            _ head: UnsafeRawBufferPointer,
            _ named: Range<Int>?,
            _ form: HTTP2RequestForm
        ) {
            let (name, value) = (line.name, line.value)
            switch name.count {
            case 2 where ASCII.matches(head, name, "te"):
                guard ASCII.matches(head, value, "trailers") else { return }
            case 4 where ASCII.matches(head, name, "host"): return add(Self.authority, head, value)
            case 7 where ASCII.matches(head, name, "upgrade"): return
            case 10 where ASCII.matches(head, name, "connection") || ASCII.matches(head, name, "keep-alive"): return
            case 16 where ASCII.matches(head, name, "proxy-connection"): return
            case 17
            where ASCII.matches(head, name, "transfer-encoding")
                || form.isWebSocket && ASCII.matches(head, name, "sec-websocket-key"):
                return
            default: break
            }
            if let named, FieldElements(head, named).contains(where: { ASCII.equal(head, $0, name) }) { return }
            guard let base = head.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            let isSecret = form.isSecret(head, name)
            add(base + name.lowerBound, name.count, base + value.lowerBound, value.count, isSecret: isSecret)
        }

        private mutating func add(_ name: StaticString, _ value: StaticString) {
            add(name.utf8Start, name.utf8CodeUnitCount, value.utf8Start, value.utf8CodeUnitCount)
        }

        private mutating func add(_ name: StaticString, _ head: UnsafeRawBufferPointer, _ value: Range<Int>) {
            guard let base = head.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            add(name.utf8Start, name.utf8CodeUnitCount, base + value.lowerBound, value.count)
        }

        private mutating func add(
            _ name: UnsafePointer<UInt8>,
            _ nameCount: Int,
            _ value: UnsafePointer<UInt8>,
            _ valueCount: Int,
            isSecret: Bool = false
        ) {
            lines.append(
                cnh_field(name: name, value: value, name_count: nameCount, value_count: valueCount, is_secret: isSecret)
            )
        }

        /// The status of a response's lines; `nil` for trailers.
        static func status(of lines: UnsafeRawBufferPointer) -> Int? {
            guard lines.count >= 12, ASCII.has(":status: ", lines, 0) else { return nil }
            return ASCII.number(lines, 9..<12).map { Int($0) }
        }

        /// Gives fields that are not from a head of HTTP/1.1.
        static func with(_ fields: [Headers.Field], _ body: (UnsafeBufferPointer<cnh_field>) -> Void) {
            var text: [UInt8] = []
            for field in fields {
                text.append(contentsOf: field.name.utf8)
                text.append(contentsOf: field.value.utf8)
            }
            text.withUnsafeBufferPointer { text in
                // Without a field that is not empty there is no text.
                guard var place = text.baseAddress else { return body(UnsafeBufferPointer(start: nil, count: 0)) }
                let lines = fields.map { field in
                    let (name, value) = (field.name.utf8.count, field.value.utf8.count)
                    defer { place += name + value }
                    return cnh_field(
                        name: place,
                        value: place + name,
                        name_count: name,
                        value_count: value,
                        is_secret: false
                    )
                }
                lines.withUnsafeBufferPointer(body)
            }
        }
    }
#endif
