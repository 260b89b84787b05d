#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitWire
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// A request in one block of memory for the duration of the exchange: its head as it is sent, followed by small content.
    ///
    /// A plain value without automatic release: its transfer frees it.
    struct WireBlock {
        /// The size of the head, and of the head with its content.
        let (headCount, count): (Int, Int)
        private let block: UnsafeMutableRawPointer

        /// What is sent first.
        var bytes: UnsafeRawPointer { UnsafeRawPointer(block) }
        /// The head as it is sent.
        var head: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: block, count: headCount) }

        /// Writes a request as it is sent (RFC 9112, 3).
        ///
        /// - Parameters:
        ///   - method: The method.
        ///   - destination: Where it goes.
        ///   - route: Whether it goes to a proxy.
        ///   - fields: Its checked fields.
        ///   - authorizes: Whether the URL's user and password, if any, are sent.
        ///   - lines: The lines that the transport adds.
        ///   - framing: How its content is delimited.
        ///   - body: Small content.
        init(
            method: String,
            _ destination: borrowing Destination,
            _ route: Route,
            fields: [Headers.Field],
            authorizes: Bool,
            lines: (UsualLines.Line?, UsualLines.Line?),
            framing: RequestFraming,
            body: UnsafeRawBufferPointer
        ) {
            var proxyAuthorization: String?
            var isForwarded = false
            if case .forward(_, let authorization) = route { (proxyAuthorization, isForwarded) = (authorization, true) }
            let authorization = destination.isUnusual && authorizes ? destination.credentials : nil
            var size = RequestWriter.overhead + method.utf8.count + 3 * destination.url.utf8.count + body.count
            for field in fields { size += field.name.utf8.count + field.value.utf8.count + RequestWriter.fieldOverhead }
            if let line = lines.0 { size += strlen(line) + 2 }
            if let line = lines.1 { size += strlen(line) + 2 }
            if let proxyAuthorization { size += proxyAuthorization.utf8.count + 24 }
            if let authorization { size += authorization.utf8.count + 24 }
            block = .allocate(byteCount: size, alignment: 16)
            var writer = RequestWriter(block)
            writer.begin(method, destination, isForwarded: isForwarded)
            if let proxyAuthorization { writer.field("Proxy-Authorization", proxyAuthorization) }
            if let authorization { writer.field("Authorization", authorization) }
            for field in fields { writer.field(field.name, field.value) }
            if let line = lines.0 { writer.write(line) }
            if let line = lines.1 { writer.write(line) }
            writer.endHead(framing)
            headCount = writer.count
            writer.write(body)
            count = writer.count
        }

        func free() { block.deallocate() }
    }

    extension RequestWriter {
        /// The request line, and the host that it is for.
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
        fileprivate mutating func write(_ line: UsualLines.Line) {
            write(UnsafeRawBufferPointer(start: line, count: strlen(line)))
            endLine()
        }
    }

    /// The lines that a transport adds to requests without such a field, as C strings that live as long as this object.
    ///
    /// `@unchecked Sendable`: it is immutable.
    final class UsualLines: @unchecked Sendable {
        typealias Line = UnsafeMutablePointer<CChar>

        let identity = strdup("Accept-Encoding: identity")
        let userAgent: Line?
        /// What can be decoded here, `nil` if nothing.
        let codings: Line?

        init(userAgent: String?, codings: [String]) {
            self.userAgent = userAgent.flatMap { strdup("User-Agent: \($0)") }
            self.codings = codings.isEmpty ? nil : strdup("Accept-Encoding: \(codings.joined(separator: ", "))")
        }

        deinit { for line in [identity, userAgent, codings] { free(line) } }
    }
#endif
