import CoreNetKitHTTP
import CoreNetKitLoopback
import Foundation

/// How the soak's server responds to a request; the request's path names it, so that client and server agree.
enum SoakKind: String, CaseIterable, Sendable {
    case whole, chunked, delayed, drip, quietClose, quietReset
    case unavailable, missing, moved, empty
    case closeBeforeStatus, closeInHead, closeInBody, resetBeforeStatus, resetInBody
    case badChunk, garbage, shortContent, stall, stallInBody

    var allowed: Set<String> {
        switch self {
        case .whole, .chunked, .delayed, .drip, .quietClose: ["whole"]
        // A reset may overtake the response.
        case .quietReset: ["whole", "connectionLost"]
        case .unavailable: ["status 503"]
        case .missing: ["status 404"]
        case .moved: ["whole", "status 302"]
        case .empty: ["status 204", "emptyBody"]
        case .closeBeforeStatus, .closeInHead, .closeInBody, .resetBeforeStatus, .resetInBody, .shortContent:
            ["connectionLost"]
        case .badChunk, .garbage: ["invalidResponse", "connectionLost"]
        case .stall, .stallInBody: ["timedOut"]
        }
    }

    /// Half of the calls have no fault.
    static func random(_ random: inout some RandomNumberGenerator, for mode: SoakCall.Mode) -> SoakKind {
        let kind = Bool.random(using: &random) ? .whole : allCases.randomElement(using: &random) ?? .whole
        switch mode {
        // Without content there is no stream and no page.
        case .events, .lines, .pages: return kind == .empty ? .whole : kind
        // Other kinds are covered by the tests of downloads.
        case .download:
            let known: Set<SoakKind> = [.delayed, .unavailable, .missing, .closeBeforeStatus, .stall]
            return known.contains(kind) ? kind : .whole
        default: return kind
        }
    }

    /// The valid outcomes with a proxy that speaks HTTP/2, which has a status of its own for what it cannot parse.
    var allowedBehindProxy: Set<String> {
        switch self {
        case .closeBeforeStatus, .closeInHead, .resetBeforeStatus: ["status 502"]
        case .closeInBody, .resetInBody, .shortContent, .garbage:
            ["status 502", "http2Failed", "connectionLost", "invalidResponse"]
        // The proxy passes on the first chunk, and may end the response as if it were complete.
        case .badChunk:
            ["status 502", "http2Failed", "connectionLost", "invalidResponse", "wrong content", "status 200"]
        case .quietReset: allowed.union(["status 502", "http2Failed"])
        default: allowed
        }
    }

    static func path(_ kind: SoakKind, id: Int, size: Int) -> String { "/soak/\(kind.rawValue)/\(id)/\(size)" }

    /// The server's response to `path`.
    static func reply(to request: LoopbackRequest) -> LoopbackResponse {
        let parts = request.path.split(separator: "/").map(String.init)
        guard parts.count == 4, let kind = SoakKind(rawValue: parts[1]), let id = Int(parts[2]),
            let size = Int(parts[3])
        else { return .status(400) }
        let shape = request.query("as").flatMap { SoakShape(rawValue: $0) } ?? .plain
        let (whole, content) = shape.reply(to: request, id: id, size: size)
        // Only content can be cut.
        if content.isEmpty { return whole }
        let pieces = LoopbackResponse(
            status: whole.status,
            headers: whole.headers,
            body: .chunks([content.prefix(7), content.dropFirst(7)].map { Data($0) })
        )
        return switch kind {
        case .whole: whole
        case .chunked: pieces
        case .delayed: whole.delayed(by: .milliseconds(5))
        case .drip: whole.fault(.drip(max(1, content.count / 3)))
        case .quietClose: whole.fault(.close(.atEnd))
        case .quietReset: whole.fault(.reset(.atEnd))
        case .unavailable: .status(503)
        case .missing: .text("nothing here", status: 404)
        case .moved:
            LoopbackResponse.status(302)
                .header("Location", request.target.replacing("/\(kind.rawValue)/", with: "/\(Self.whole.rawValue)/"))
        case .empty: .status(204)
        case .closeBeforeStatus: whole.fault(.close(.beforeStatus))
        case .closeInHead: whole.fault(.close(.inHeaders))
        case .closeInBody: whole.fault(.close(.inBody(5)))
        case .resetBeforeStatus: whole.fault(.reset(.beforeStatus))
        case .resetInBody: whole.fault(.reset(.inBody(5)))
        case .badChunk: pieces.fault(.badChunk)
        case .garbage: whole.fault(.garbageStatusLine)
        case .shortContent: whole.fault(.contentLength(offBy: 3))
        case .stall: whole.fault(.stall(.beforeStatus))
        case .stallInBody: whole.fault(.stall(.inBody(5)))
        }
    }
}
