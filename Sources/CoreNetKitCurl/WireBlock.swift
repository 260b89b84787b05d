#if os(Linux)
    import CoreNetKitHTTP
    import CNetCurl
    import Glibc

    /// A request's URL, method and field lines as C strings, in one block that libcurl reads while the exchange runs.
    ///
    /// A plain value without automatic release: its transfer frees it.
    struct WireBlock {
        private(set) var url: UnsafePointer<CChar>?
        /// The method where libcurl's own choice would be another.
        private(set) var method: UnsafePointer<CChar>?
        private(set) var headers: UnsafeMutablePointer<cnc_slist>?
        private(set) var body: UnsafeRawPointer?
        private let block: UnsafeMutableRawPointer

        /// Copies a request; `lines` are those the transport adds, which outlive it, `body` is small content.
        init(
            url: String,
            method: String?,
            fields: [Headers.Field],
            lines: UsualLines.Choice,
            body: UnsafeRawBufferPointer
        ) {
            let nodeCount = fields.count + lines.count
            var size = nodeCount * MemoryLayout<cnc_slist>.stride + url.utf8.count + 1 + body.count
            if let method { size += method.utf8.count + 1 }
            for field in fields { size += field.name.utf8.count + field.value.utf8.count + 3 }
            block = .allocate(byteCount: size, alignment: MemoryLayout<cnc_slist>.alignment)
            let nodes = block.bindMemory(to: cnc_slist.self, capacity: nodeCount)
            var writer = Writer(cursor: block + nodeCount * MemoryLayout<cnc_slist>.stride)
            for index in 0..<nodeCount {
                let next = index + 1 < nodeCount ? nodes + index + 1 : nil
                if index < fields.count {
                    nodes[index] = cnc_slist(data: writer.write(fields[index]), next: next)
                } else {
                    nodes[index] = cnc_slist(data: lines[index - fields.count], next: next)
                }
            }
            headers = nodeCount > 0 ? nodes : nil
            self.url = UnsafePointer(writer.write(url))
            if let method { self.method = UnsafePointer(writer.write(method)) }
            if let bytes = body.baseAddress { self.body = UnsafeRawPointer(writer.write(bytes, body.count)) }
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

            /// libcurl drops a field without a value unless it ends with a semicolon.
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
#endif
