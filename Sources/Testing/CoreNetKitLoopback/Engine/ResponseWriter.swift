import CoreNetKitEssentials
import CoreNetKitHTTP

/// Turns a response into bytes, cuts and a source of further bytes on a connection.
struct ResponseWriter {
    private static let largeBody = 1 << 18

    let response: LoopbackResponse
    let head: RequestParser.Head
    private let connection: Connection
    private(set) var declaredOff = 0
    private(set) var hasBadChunk = false
    private var hasGarbage = false
    private var separator = ": "
    private var folds = false
    private(set) var closes: Bool

    init(_ response: LoopbackResponse, for head: RequestParser.Head, on connection: Connection) {
        self.response = response
        self.head = head
        self.connection = connection
        closes = response.closes || !head.isPersistent
        for fault in response.faults { prepare(fault) }
    }

    private mutating func prepare(_ fault: LoopbackFault) {
        switch fault {
        case .close, .reset, .stall: break
        case .drip(let count): connection.faults.drip = max(1, count)
        case .contentLength(let offset): declaredOff = offset
        case .badChunk: hasBadChunk = true
        case .garbageStatusLine: hasGarbage = true
        case .noSpaceAfterColon: separator = ":"
        case .foldedHeaders: folds = true
        }
        if declaredOff != 0 || hasBadChunk || hasGarbage { closes = true }
    }

    mutating func write() {
        if case .raw(let bytes) = response.body {
            let start = connection.output.queued
            addLarge(bytes)
            return addCuts(status: start, statusEnd: min(start + 12, start + bytes.count), body: start)
        }
        for informational in response.informational {
            addStatusLine(informational)
            addFields(informational.headers)
            add("\r\n")
        }
        let start = connection.output.queued
        if hasGarbage { add("\u{1}\u{2} this is no status line\r\n") } else { addStatusLine(response) }
        let statusEnd = connection.output.queued
        addFields(response.headers)
        if case .untilClose = response.body { closes = true }
        let isChunked = hasContent && addFraming()
        if closes && !response.headers.contains("Connection") { addField("Connection", "close") }
        add("\r\n")
        let bodyStart = connection.output.queued
        if hasContent && head.method != .head { addBody(isChunked: isChunked) }
        addCuts(status: start, statusEnd: statusEnd, body: bodyStart)
    }

    /// Whether the response to the method has content, or would have it if that were not HEAD.
    var hasContent: Bool {
        let status = response.status
        let opensTunnel = head.method == .connect && (200..<300).contains(status)
        return !(status < 200 || status == 204 || status == 304 || opensTunnel)
    }

    // MARK: Head

    private func addStatusLine(_ response: LoopbackResponse) {
        add("HTTP/1.1 ")
        connection.output.bytes.append(decimal: response.status)
        add(" ")
        add(response.reason ?? reasonPhrases[response.status] ?? "Unknown")
        add("\r\n")
    }

    private func addFields(_ headers: Headers) {
        for field in headers { addField(field.name, field.value) }
    }

    private func addField(_ name: String, _ value: String) {
        add(name)
        add(separator)
        if folds, let space = value.utf8.firstIndex(of: 0x20) {
            add(String(value[..<space]))
            add("\r\n ")
            add(String(value[value.utf8.index(after: space)...]))
        } else {
            add(value)
        }
        add("\r\n")
    }

    /// Adds the framing field; returns whether the content is chunked.
    private mutating func addFraming() -> Bool {
        guard !response.headers.contains("Content-Length") else { return false }
        if response.headers.contains("Transfer-Encoding") { return true }
        switch response.body {
        case .untilClose, .raw: return false
        default: break
        }
        guard let declaredLength else {
            if head.isHTTP10 { closes = true } else { addField("Transfer-Encoding", "chunked") }
            return !head.isHTTP10
        }
        add("Content-Length")
        add(separator)
        connection.output.bytes.append(decimal: declaredLength)
        add("\r\n")
        return false
    }

    /// What `Content-Length` says, if it is to be there.
    var declaredLength: Int? {
        guard !hasBadChunk, response.trailers.isEmpty, let length else { return nil }
        return max(0, length.saturatingAdd(declaredOff))
    }

    var length: Int? {
        switch response.body {
        case .text(let text): text.utf8.count
        case .data(let data): data.count
        case .stream(let length, _): length
        case .chunks, .untilClose, .raw: nil
        }
    }

    // MARK: Body

    func addBody(isChunked: Bool) {
        switch response.body {
        case .text(let text):
            if isChunked || text.utf8.count > Self.largeBody {
                addData(Data(text.utf8), isChunked: isChunked)
            } else {
                add(text)
            }
        case .data(let data): addData(data, isChunked: isChunked)
        case .chunks(let chunks): addPieces({ $0 < chunks.count ? chunks[$0] : nil }, isChunked: isChunked)
        case .stream(_, let piece): addPieces(piece, isChunked: isChunked)
        case .untilClose(let data): addLarge(data)
        case .raw: break
        }
    }

    private func addData(_ data: Data, isChunked: Bool) {
        guard isChunked else { return addLarge(data) }
        let half = (data.count + 1) / 2
        let pieces = hasBadChunk ? [data.prefix(half), data.dropFirst(half)] : [data]
        addPieces({ $0 < pieces.count ? pieces[$0] : nil }, isChunked: true)
    }

    /// Adds a few bytes at once, many bytes piece by piece as they are sent.
    private func addLarge(_ data: Data) {
        guard data.count > Self.largeBody else { return connection.output.bytes.append(contentsOf: data) }
        addPieces(
            { index in
                let start = index * Self.largeBody
                return start < data.count ? data.dropFirst(start).prefix(Self.largeBody) : nil
            },
            isChunked: false
        )
    }

    private func addPieces(_ piece: @escaping (Int) -> Data?, isChunked: Bool) {
        let trailers = response.trailers
        let hasBadChunk = hasBadChunk
        var index = 0
        var isDone = false
        connection.output.more = { output in
            guard !isDone else { return false }
            guard let data = piece(index) else {
                isDone = true
                guard isChunked else { return false }
                output.append(contentsOf: "0\r\n".utf8)
                for field in trailers { output.append(contentsOf: "\(field.name): \(field.value)\r\n".utf8) }
                output.append(contentsOf: "\r\n".utf8)
                return true
            }
            if isChunked && !data.isEmpty {
                let size = hasBadChunk && index == 1 ? "xyz" : String(data.count, radix: 16)
                output.append(contentsOf: size.utf8)
                output.append(contentsOf: "\r\n".utf8)
            }
            output.append(contentsOf: data)
            if isChunked && !data.isEmpty { output.append(contentsOf: "\r\n".utf8) }
            index += 1
            return true
        }
    }

    // MARK: Cuts

    func addCuts(status: Int, statusEnd: Int, body: Int) {
        func add(_ action: Connection.Faults.CutAction, at point: LoopbackFault.Point) {
            let offset =
                switch point {
                case .beforeStatus: status
                case .inStatusLine: min(status + 10, statusEnd)
                case .inHeaders: max(statusEnd, min(statusEnd + 3, body - 1))
                case .inBody(let count): body.saturatingAdd(max(0, count))
                case .atEnd: Int.max
                }
            connection.faults.cuts.append((offset, action))
        }
        for fault in response.faults {
            switch fault {
            case .close(let point): add(.close, at: point)
            case .reset(let point): add(.reset, at: point)
            case .stall(let point, let gate): add(.stall(gate), at: point)
            default: break
            }
        }
        connection.faults.cuts.sort { $0.offset < $1.offset }
    }

    private func add(_ text: String) { connection.output.bytes.append(contentsOf: text.utf8) }
}

extension [UInt8] {
    mutating func append(decimal number: Int) {
        if number >= 10 { append(decimal: number / 10) }
        append(UInt8(ascii: "0") + UInt8(number % 10))
    }
}

/// The usual reason phrases (RFC 9110, 15).
private let reasonPhrases: [Int: String] = [
    100: "Continue", 101: "Switching Protocols", 102: "Processing", 103: "Early Hints",
    200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information", 204: "No Content",
    205: "Reset Content", 206: "Partial Content",
    300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
    307: "Temporary Redirect", 308: "Permanent Redirect",
    400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required",
    408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed",
    413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
    417: "Expectation Failed", 421: "Misdirected Request", 422: "Unprocessable Content", 425: "Too Early",
    426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
    504: "Gateway Timeout", 505: "HTTP Version Not Supported", 511: "Network Authentication Required",
]
