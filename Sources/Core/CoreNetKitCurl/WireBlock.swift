#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitWire
    import CNetCurl
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// A request in one block of memory for the duration of the exchange: for libcurl its URL, method and field lines
    /// as C strings; for the wire its head as it is sent, followed by small content.
    ///
    /// A plain value without automatic release: its transfer frees it.
    struct WireBlock {
        private(set) var url: UnsafePointer<CChar>?
        /// The method, if libcurl would choose another one.
        private(set) var method: UnsafePointer<CChar>?
        private(set) var headers: UnsafeMutablePointer<cnc_slist>?
        private(set) var body: UnsafeRawPointer?
        /// The size of the head, and of the head with its content; for the wire.
        private(set) var (headCount, count) = (0, 0)
        private let block: UnsafeMutableRawPointer

        /// What is sent first.
        var bytes: UnsafeRawPointer { UnsafeRawPointer(block) }
        /// The head as it is sent.
        var head: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: block, count: headCount) }

        /// Copies a request; `leading` and `lines` are those that the transport adds before and behind the fields, which
        /// outlive it; `body` is small content.
        init(
            url: String,
            method: String?,
            fields: [Headers.Field],
            leading: UsualLines.Line?,
            lines: UsualLines.Choice,
            body: UnsafeRawBufferPointer
        ) {
            let first = leading == nil ? 0 : 1
            let nodeCount = first + fields.count + lines.count
            var size = nodeCount * MemoryLayout<cnc_slist>.stride + url.utf8.count + 1 + body.count
            if let method { size += method.utf8.count + 1 }
            for field in fields { size += field.name.utf8.count + field.value.utf8.count + 3 }
            block = .allocate(byteCount: size, alignment: MemoryLayout<cnc_slist>.alignment)
            let nodes = block.bindMemory(to: cnc_slist.self, capacity: nodeCount)
            var writer = Writer(cursor: block + nodeCount * MemoryLayout<cnc_slist>.stride)
            for index in 0..<nodeCount {
                let next = index + 1 < nodeCount ? nodes + index + 1 : nil
                if index < first {
                    nodes[index] = cnc_slist(data: leading, next: next)
                } else if index - first < fields.count {
                    nodes[index] = cnc_slist(data: writer.write(fields[index - first]), next: next)
                } else {
                    nodes[index] = cnc_slist(data: lines[index - first - fields.count], next: next)
                }
            }
            headers = nodeCount > 0 ? nodes : nil
            self.url = UnsafePointer(writer.write(url))
            if let method { self.method = UnsafePointer(writer.write(method)) }
            if let bytes = body.baseAddress { self.body = UnsafeRawPointer(writer.write(bytes, body.count)) }
        }

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
            lines: UsualLines.Choice,
            framing: RequestFraming,
            body: UnsafeRawBufferPointer
        ) {
            var proxyAuthorization: String?
            var isForwarded = false
            if case .forward(_, let authorization) = route { (proxyAuthorization, isForwarded) = (authorization, true) }
            let authorization = destination.isUnusual && authorizes ? destination.credentials : nil
            var size = RequestWriter.overhead + method.utf8.count + 3 * destination.url.utf8.count + body.count
            for field in fields { size += field.name.utf8.count + field.value.utf8.count + RequestWriter.fieldOverhead }
            for index in 0..<lines.count { size += (lines[index].map { strlen($0) } ?? 0) + 2 }
            if let proxyAuthorization { size += proxyAuthorization.utf8.count + 24 }
            if let authorization { size += authorization.utf8.count + 24 }
            block = .allocate(byteCount: size, alignment: MemoryLayout<cnc_slist>.alignment)
            var writer = RequestWriter(block)
            writer.begin(method, destination, isForwarded: isForwarded)
            if let proxyAuthorization { writer.field("Proxy-Authorization", proxyAuthorization) }
            if let authorization { writer.field("Authorization", authorization) }
            for field in fields { writer.field(field.name, field.value) }
            writer.write(lines)
            writer.endHead(framing)
            headCount = writer.count
            writer.write(body)
            count = writer.count
        }

        func free() { block.deallocate() }

        private struct Writer {
            var cursor: UnsafeMutableRawPointer

            mutating func write(_ string: String) -> UnsafeMutablePointer<CChar> {
                let start = cursor.assumingMemoryBound(to: CChar.self)
                append(string)
                byte(0)
                return start
            }

            /// libcurl drops a field with an empty value unless it ends with a semicolon.
            mutating func write(_ field: Headers.Field) -> UnsafeMutablePointer<CChar> {
                let start = cursor.assumingMemoryBound(to: CChar.self)
                append(field.name)
                if FieldCheck.isBlank(field.value) {
                    byte(UInt8(ascii: ";"))
                } else {
                    byte(UInt8(ascii: ":"))
                    byte(UInt8(ascii: " "))
                    append(field.value)
                }
                byte(0)
                return start
            }

            mutating func write(_ bytes: UnsafeRawPointer, _ count: Int) -> UnsafeMutableRawPointer {
                let start = cursor
                memcpy(start, bytes, count)
                cursor += count
                return start
            }

            private mutating func append(_ string: String) {
                var string = string
                string.withUTF8 { bytes in
                    guard let base = bytes.baseAddress else { return }
                    memcpy(cursor, base, bytes.count)
                    cursor += bytes.count
                }
            }

            private mutating func byte(_ byte: UInt8) {
                cursor.storeBytes(of: byte, as: UInt8.self)
                cursor += 1
            }
        }
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
        fileprivate mutating func write(_ lines: UsualLines.Choice) {
            for index in 0..<lines.count {
                guard let line = lines[index] else { continue }
                write(UnsafeRawBufferPointer(start: line, count: strlen(line)))
                endLine()
            }
        }
    }
#endif
