#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CNetCurl
    import Glibc

    extension Exchange {
        /// One line of a head or a trailer.
        mutating func receive(line: UnsafeRawPointer, count: Int) -> Bool {
            // Trailers come after the content and are not part of the head.
            guard !headIsComplete else { return true }
            lastActivity = board.now
            let bytes = UnsafeRawBufferPointer(start: line, count: count)
            if count >= 12, memcmp(line, "HTTP/", 5) == 0 {
                startHead(bytes)
            } else if bytes.first == UInt8(ascii: "\r") || bytes.first == UInt8(ascii: "\n") {
                // A head of 1xx is followed by another one.
                headIsComplete = status >= 200
                if headIsComplete {
                    endHead()
                    if isWatched { board.hasNews = true }
                }
                return true
            } else if count > 15, bytes[0] | 0x20 == UInt8(ascii: "c") {
                noteContentField(bytes)
            }
            guard head.count + count <= Exchange.headLimit else {
                refusal = .headTooLarge
                return false
            }
            guard head.append(line, count: count) else {
                refusal = .outOfMemory
                return false
            }
            return true
        }

        private mutating func startHead(_ line: UnsafeRawBufferPointer) {
            let now = MonotonicTime.now()
            if firstByteAt == 0 { firstByteAt = now }
            if sentAt == 0 { sentAt = now }
            head.removeAll()
            (isCompressed, contentLength) = (false, -1)
            switch (line[5], line[7]) {
            case (UInt8(ascii: "2"), _): noteHTTP2()
            case (UInt8(ascii: "3"), _): version = "3"
            case (_, UInt8(ascii: "0")): version = "1.0"
            default: version = "1.1"
            }
            status = 0
            guard let space = line.firstIndex(of: 0x20) else { return }
            for byte in line[(space + 1)...] {
                guard byte >= 0x30, byte <= 0x39, status < 1000 else { break }
                status = status * 10 + Int32(byte - 0x30)
            }
        }

        private mutating func endHead() {
            if sink == .file, !(200...299).contains(status) {
                sink = .memory
                limit = 64 << 20
            }
            // The first MiB is free; with a length, the whole bound is known now.
            checkpoint = isCompressed ? 1 << 20 : .max
            if isCompressed, contentLength >= 0 { checkpoint = max(checkpoint, contentLength * guardRatio) }
        }

        private mutating func noteContentField(_ line: UnsafeRawBufferPointer) {
            if Exchange.starts(line, with: "content-length:") {
                var value: Int64 = 0
                for byte in line[15...] where byte >= 0x30 && byte <= 0x39 && value < 1 << 58 {
                    value = value * 10 + Int64(byte - 0x30)
                }
                contentLength = value
            } else if Exchange.starts(line, with: "content-encoding:") {
                isCompressed = true
            }
        }

        private static func starts(_ line: UnsafeRawBufferPointer, with name: StaticString) -> Bool {
            guard line.count > name.utf8CodeUnitCount else { return false }
            for index in 0..<name.utf8CodeUnitCount where Headers.lowered(line[index]) != name.utf8Start[index] {
                return false
            }
            return true
        }

        /// Content, decompressed.
        ///
        /// - Returns: What libcurl's write callback returns: `count`, another number to end the exchange, or a pause.
        mutating func receive(content: UnsafeRawPointer, count: Int) -> Int {
            let total = received + Int64(count)
            if total > checkpoint {
                // The bytes from the wire are counted by libcurl, which must not be called here: the loop looks and goes on.
                if contentLength >= 0 { return refuse(.expanded) }
                awaitsCheck = true
                board.hasNews = true
                isReceivePaused = true
                return CNC_WRITEFUNC_PAUSE
            }
            if isCompressed, total > guardLimit { return refuse(.expanded) }
            switch sink {
            case .memory:
                guard total <= limit else { return refuse(.tooLarge(limit: limit)) }
                guard body.append(content, count: count) else { return refuse(.outOfMemory) }
            case .stream:
                if unread + body.count + count > limit, unread + body.count > 0 {
                    isReceivePaused = true
                    board.hasNews = true
                    return CNC_WRITEFUNC_PAUSE
                }
                guard body.append(content, count: count, reserving: limit) else { return refuse(.outOfMemory) }
                board.hasNews = true
            case .file:
                guard write(content, count) else { return refuse(.file(errno: errno)) }
            }
            received = total
            lastActivity = board.now
            return count
        }

        private mutating func refuse(_ reason: Refusal) -> Int {
            refusal = reason
            return 0
        }

        private func write(_ content: UnsafeRawPointer, _ count: Int) -> Bool {
            var done = 0
            while done < count {
                let written = Glibc.write(file, content + done, count - done)
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { return false }
                done += written
            }
            return true
        }
    }
#endif
