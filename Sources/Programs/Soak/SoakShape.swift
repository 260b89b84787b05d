import CoreNetKitHTTP
import CoreNetKitLoopback
import Foundation

/// The content of a response of the soak's server; the item `as` of the request's query names it.
enum SoakShape: String, Sendable {
    /// A document that names the call, so that mix-ups are noticed.
    case plain
    /// The same, cacheable.
    case cached
    /// Server-sent events, the last one an end mark.
    case events
    /// JSON Lines.
    case lines
    /// A page of a list of three.
    case page
    /// Bytes with range support; the first response without a range breaks off in the middle.
    case file

    static let rows = 20

    func content(id: Int, size: Int, uploaded: Int = 0, page: Int = 1) -> Data {
        let fill = String(repeating: "x", count: size / Self.rows)
        switch self {
        case .plain, .cached:
            return Data(#"{"id":\#(id),"uploaded":\#(uploaded),"fill":"\#(String(repeating: "x", count: size))"}"#.utf8)
        case .events:
            let rows = (0..<Self.rows).map { "id: \($0)\ndata: \(Self.row(id, $0, fill))\n\n" }
            return Data((rows.joined() + "data: [DONE]\n\n").utf8)
        case .lines:
            return Data((0..<Self.rows).map { Self.row(id, $0, fill) + "\n" }.joined().utf8)
        case .page:
            let rows = (0..<Self.rows).map { Self.row(id, (page - 1) * Self.rows + $0, fill) }.joined(separator: ",")
            return Data(#"{"items":[\#(rows)]\#(page < 3 ? #","next":"\#(page + 1)""# : "")}"#.utf8)
        case .file:
            return Data((0..<size + 1_000).map { UInt8(truncatingIfNeeded: id &+ $0 &* 7) })
        }
    }

    /// The response and its content, before faults change it.
    func reply(to request: LoopbackRequest, id: Int, size: Int) -> (LoopbackResponse, Data) {
        let page = request.query("cursor").flatMap(Int.init) ?? 1
        var content = content(id: id, size: size, uploaded: request.bodyLength, page: page)
        var response = LoopbackResponse.data(content, type: type)
        switch self {
        case .cached:
            let tag = "\"\(id)\""
            if request.headers["If-None-Match"] == tag { return (.status(304, headers: ["ETag": tag]), Data()) }
            response.headers["ETag"] = tag
            // A third is validated each time, a third while it is used.
            response.headers["Cache-Control"] =
                ["max-age=3600", "no-cache", "max-age=0, stale-while-revalidate=3600"][id % 3]
        case .file:
            response.headers["ETag"] = "\"\(id)\""
            if let start = request.headers["Range"].flatMap({ Int($0.dropFirst(6).prefix { $0 != "-" }) }) {
                let total = content.count
                content = Data(content.dropFirst(start))
                response.status = 206
                response.body = .data(content)
                response.headers["Content-Range"] = "bytes \(start)-\(total - 1)/\(total)"
            } else {
                response.faults.append(.close(.inBody(content.count / 2)))
            }
        case .plain, .events, .lines, .page: break
        }
        return (response, content)
    }

    private var type: String {
        switch self {
        case .plain, .cached, .page: "application/json"
        case .events: "text/event-stream"
        case .lines: "application/jsonl"
        case .file: "application/octet-stream"
        }
    }

    private static func row(_ id: Int, _ number: Int, _ fill: String) -> String {
        #"{"id":\#(id),"number":\#(number),"fill":"\#(fill)"}"#
    }
}
