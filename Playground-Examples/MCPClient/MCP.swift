import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitStreams
import Foundation

/// A client of the Model Context Protocol over streamable HTTP; `told` gets what the server says before a reply.
actor MCP {
    nonisolated struct Fault: Error, Decodable, Equatable { var code: Int, message: String }

    private var builder: UrlChainsBuilder<URL>
    private let endpoint: URL
    private let told: @Sendable (Json) -> Void
    private var lastID = 0

    init(_ endpoint: URL, client: Client = Client(), told: @escaping @Sendable (Json) -> Void = { _ in }) {
        (self.endpoint, self.told, builder) = (endpoint, told, UrlChainsBuilder(client: client).route(.post, endpoint))
    }

    func initialize(as name: String) async throws -> Json {
        let about: Json = ["name": Json(name), "version": "1.0"]
        let params: Json = ["protocolVersion": "2025-06-18", "capabilities": [:], "clientInfo": about]
        let result = try await call("initialize", params)
        builder = builder.add(header: "MCP-Protocol-Version", result["protocolVersion"]?.string ?? "2025-06-18")
        _ = try await send(["jsonrpc": "2.0", "method": "notifications/initialized"])
        return result
    }

    func tools() async throws -> [Json] {
        var (tools, params): ([Json], Json?) = ([], [:])
        while let next = params {
            let page = try await call("tools/list", next)
            tools += page["tools"]?.array ?? []
            params = page["nextCursor"]?.string.map { ["cursor": Json($0)] }
        }
        return tools
    }

    func call(tool name: String, _ arguments: Json) async throws -> Json {
        try await call("tools/call", ["name": Json(name), "arguments": arguments])
    }

    func end() async throws { try await builder.route(.delete, endpoint).build().call() }

    private func call(_ method: String, _ params: Json) async throws -> Json {
        lastID += 1
        let response = try await send(["jsonrpc": "2.0", "id": Json(lastID), "method": Json(method), "params": params])
        if let id = response.headers["Mcp-Session-Id"] { builder = builder.add(header: "Mcp-Session-Id", id) }
        let reply = try await response.reply(told)
        if let error = reply["error"] { throw try error.decode(Fault.self) }
        return reply["result"] ?? .null
    }

    private func send(_ message: Json) async throws -> Answer {
        try await builder.build(sending: .json, reading: .model(Answer.self)).call(message)
    }
}

/// A response of one message, or of events that end with the reply; its content is still to be read.
nonisolated struct Answer: ResponsePayload, RawDecodable, DTODecodable {
    static let (accept, delivery) = ("application/json, text/event-stream", ResponseDelivery?.some(.stream))
    private let response: TransportResponse
    var headers: Headers { response.headers }
    init(response: TransportResponse) { self.response = response }
    static func from(raw: Answer) -> Answer { raw }

    func reply(_ told: (Json) -> Void) async throws -> Json {
        let isStream = headers["Content-Type"]?.hasPrefix("text/event-stream") == true
        guard isStream else { return try Json(parsing: try await response.body.collect()) }
        var parser = EventParser()
        for try await chunk in ResponseStream(response: response) {
            parser.feed(chunk)
            while case .event(let event)? = try parser.next() {
                let message = try Json(parsing: Data(event.data.utf8))
                if message["method"] == nil { return message }
                told(message)
            }
        }
        throw MCP.Fault(code: -32000, message: "the stream ended without a reply")
    }
}
