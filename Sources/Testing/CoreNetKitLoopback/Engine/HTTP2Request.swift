#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem

    /// A request of HTTP/2 while it arrives, with its head as HTTP/1.1 would write it.
    struct HTTP2Request {
        private(set) var method = HTTPMethod.get
        private(set) var target = ""
        private(set) var bodyLength = 0
        private let limit: Int
        private var raw: [UInt8] = []
        private var headLength = 0
        private var trailers: Int?

        init(_ lines: UnsafeRawBufferPointer, bodyLimit: Int) {
            limit = bodyLimit
            var host = ""
            var rest: [UInt8] = []
            for line in lines.split(separator: 0x0A) {
                guard line.first == UInt8(ascii: ":") else {
                    rest.append(contentsOf: line)
                    rest.append(0x0A)
                    continue
                }
                // `:path: /`, and CR behind it.
                let text = String(decoding: line.dropFirst().dropLast(), as: UTF8.self)
                let value = String(text.drop { $0 != " " }.dropFirst())
                switch text.prefix(while: { $0 != ":" }) {
                case "method": method = HTTPMethod(rawValue: value)
                case "path": target = value
                case "authority": host = value
                default: break
                }
            }
            if target.isEmpty { target = host }
            raw = Array("\(method.rawValue) \(target) HTTP/2\r\n".utf8)
            if !host.isEmpty { raw.append(contentsOf: "host: \(host)\r\n".utf8) }
            raw.append(contentsOf: rest)
            raw.append(contentsOf: "\r\n".utf8)
            headLength = raw.count
        }

        mutating func add(content: UnsafeRawBufferPointer) {
            let room = max(0, limit.saturatingAdd(headLength) - raw.count)
            raw.append(contentsOf: content.prefix(room))
            bodyLength += content.count
        }

        mutating func add(trailers lines: UnsafeRawBufferPointer) {
            trailers = raw.count
            raw.append(contentsOf: lines)
        }

        func made(connection: Int) -> LoopbackRequest {
            LoopbackRequest(
                index: 0,
                connection: connection,
                method: method,
                target: target,
                bodyLength: bodyLength,
                rawBytes: raw,
                headLength: headLength,
                decodedBody: trailers.map { Array(raw[headLength..<$0]) },
                trailerBytes: (trailers ?? raw.count)..<raw.count
            )
        }
    }
#endif
