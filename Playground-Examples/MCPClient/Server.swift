import CoreNetKit
import CoreNetKitLoopback
import Foundation

/// A server with two tools: it replies with JSON, and to calls of tools with events.
struct Server {
    let loopback: LoopbackServer
    var endpoint: URL { loopback.url("/mcp") }

    init() throws {
        loopback = try LoopbackServer()
        loopback.on(.post, "/mcp") { request in
            let message = try request.json(as: Json.self)
            guard request.headers["Accept"] == "application/json, text/event-stream" else { return .status(406) }
            guard let method = message["method"]?.string else { return .status(400) }
            if method == "initialize" { return Self.initialize(message) }
            guard request.headers["Mcp-Session-Id"] == "s-1" else { return .status(404) }
            guard request.headers["MCP-Protocol-Version"] == "2025-06-18" else { return .status(400) }
            switch method {
            case "notifications/initialized": return .status(202)
            case "tools/list": return Self.list(message)
            case "tools/call": return Self.call(message)
            default: return Self.reply(to: message, "error", #"{"code":-32601,"message":"no method \#(method)"}"#)
            }
        }
        loopback.on(.delete, "/mcp", .status(204))
    }

    nonisolated private static func text(_ message: Json, _ member: String, _ value: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(message["id"]?.int ?? 0),"\#(member)":\#(value)}"#
    }

    nonisolated private static func reply(to message: Json, _ member: String, _ value: String) -> LoopbackResponse {
        .json(text(message, member, value))
    }

    nonisolated private static func initialize(_ message: Json) -> LoopbackResponse {
        let info = #""serverInfo":{"name":"example","version":"1"}"#
        let result = #"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},\#(info)}"#
        return reply(to: message, "result", result).header("Mcp-Session-Id", "s-1")
    }

    nonisolated private static func list(_ message: Json) -> LoopbackResponse {
        let isFirst = message["params"]?["cursor"] == nil
        let next = isFirst ? #","nextCursor":"2""# : ""
        let name = isFirst ? "add" : "weather"
        return reply(to: message, "result", #"{"tools":[{"name":"\#(name)","inputSchema":{"type":"object"}}]\#(next)}"#)
    }

    nonisolated private static func call(_ message: Json) -> LoopbackResponse {
        let params = message["params"] ?? .null
        guard params["name"]?.string == "add" else {
            return reply(to: message, "error", #"{"code":-32602,"message":"there is no such tool"}"#)
        }
        let sum = (params["arguments"]?["numbers"]?.array ?? []).compactMap(\.int).reduce(0, +)
        let progress = #"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}"#
        let result = text(message, "result", #"{"content":[{"type":"text","text":"\#(sum)"}]}"#)
        let events = [progress, result].map { "event: message\ndata: \($0)\n\n" }.joined()
        return LoopbackResponse(headers: ["Content-Type": "text/event-stream"], body: .text(": hello\n\n" + events))
    }
}
