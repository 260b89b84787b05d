import CoreNetKit
import CoreNetKitLoopback
import Foundation
import Synchronization

/// A server on this machine that speaks OpenAI's interface, as far as the example needs it.
struct Server {
    static let key = "sk-example"
    let loopback: LoopbackServer
    var base: URL { loopback.url("/v1") }

    private final class Files: Sendable {
        let stored = Mutex<[(id: String, name: String, purpose: String, content: Data)]>([])
    }

    private let files = Files()

    init() throws {
        loopback = try LoopbackServer()
        addChat()
        addModels()
        addAudio()
        addFiles()
    }

    func stop() { loopback.stop() }

    /// A route that refuses callers without the key.
    private func on(
        _ method: HTTPMethod,
        _ path: String,
        _ respond: @escaping @Sendable (LoopbackRequest) throws -> LoopbackResponse
    ) {
        loopback.on(method, "/v1" + path) { request in
            guard request.headers["Authorization"] == "Bearer \(Self.key)" else {
                return Self.refusal(
                    401,
                    "Incorrect API key provided.",
                    "invalid_request_error",
                    code: "invalid_api_key"
                )
            }
            return try respond(request)
        }
    }

    private static func refusal(_ status: Int, _ message: String, _ type: String, code: String) -> LoopbackResponse {
        let error = #"{"message":"\#(message)","type":"\#(type)","param":null,"code":"\#(code)"}"#
        return .json(#"{"error":\#(error)}"#, status: status)
    }

    private func addChat() {
        let isBusy = Mutex(true)
        let busy = Self.refusal(429, "Rate limit reached.", "requests", code: "rate_limit_exceeded")
            .header("Retry-After", "0")
        on(.post, "/chat/completions") { request in
            let body = try request.json(as: Json.self)
            guard body["model"]?.string == "gpt-example" else {
                return Self.refusal(404, "The model does not exist.", "invalid_request_error", code: "model_not_found")
            }
            let isFirst = isBusy.withLock { value in
                defer { value = false }
                return value
            }
            if isFirst { return busy }
            guard body["stream"]?.bool == true else {
                let tokens = body["max_tokens"]?.int ?? 0
                return .json(
                    #"{"id":"chat-1","created":1700000000,"choices":[{"message":{"role":"assistant","content":"Blue."},"#
                        + #""finish_reason":"stop"}],"usage":{"total_tokens":\#(tokens)}}"#
                )
            }
            let breaks = body["messages"]?[0]?["content"]?.string == "break"
            return Self.events(
                #"data: {"choices":[{"delta":{"role":"assistant"}}]}"#,
                #"data: {"choices":[{"delta":{"content":"The sky "}}]}"#,
                breaks
                    ? #"data: {"error":{"message":"Overloaded.","type":"server_error","code":"overloaded"}}"#
                    : #"data: {"choices":[{"delta":{"content":"is blue."}}]}"#,
                "data: [DONE]"
            )
        }
        on(.post, "/responses") { _ in
            Self.events(
                "event: response.created\ndata: {}",
                "event: response.output_text.delta\ndata: {\"delta\":\"Blue.\"}",
                "event: response.completed\ndata: {\"response\":{\"usage\":{\"total_tokens\":9}}}"
            )
        }
    }

    private static func events(_ events: String...) -> LoopbackResponse {
        LoopbackResponse(
            headers: ["Content-Type": "text/event-stream"],
            body: .chunks(events.map { Data("\($0)\n\n".utf8) })
        )
    }

    private func addModels() {
        let model = #"{"id":"gpt-example","owned_by":"example"}"#
        on(.get, "/models") { _ in .json(#"{"object":"list","data":[\#(model)]}"#) }
        on(.get, "/models/gpt-example") { _ in .json(model) }
        on(.post, "/embeddings") { request in
            let count = try request.json(as: Json.self)["input"]?.array?.count ?? 0
            // Not in the order of the request.
            let items = (0..<count).reversed().map { #"{"index":\#($0),"embedding":[\#($0),0.5]}"# }
            return .json(#"{"data":[\#(items.joined(separator: ","))]}"#)
        }
        on(.post, "/moderations") { _ in
            .json(#"{"results":[{"flagged":false,"categories":{"violence":false}}]}"#)
        }
    }

    private func addAudio() {
        on(.post, "/audio/speech") { request in
            .data(Data(try request.json(as: Json.self)["input"]?.string?.utf8 ?? "".utf8), type: "audio/mpeg")
        }
        on(.post, "/audio/transcriptions") { request in
            let text = Form(request)["file"].map { String(decoding: $0.content, as: UTF8.self) } ?? ""
            return try .json(encoding: ["text": text])
        }
    }

    private func addFiles() {
        on(.post, "/files") { [files] request in
            let form = Form(request)
            guard let file = form["file"], let purpose = form["purpose"]?.text else {
                return Self.refusal(400, "'file' is a required property", "invalid_request_error", code: "missing")
            }
            let number = files.stored.withLock { stored in
                stored.append(("file-\(stored.count + 1)", file.filename, purpose, file.content))
                return stored.count
            }
            return files.stored.withLock { .json(Self.json($0[number - 1])) }
        }
        on(.get, "/files") { [files] request in
            let all = files.stored.withLock { $0 }.filter { $0.purpose == request.query("purpose") }
            let start = request.query("after").flatMap { id in all.firstIndex { $0.id == id } }.map { $0 + 1 } ?? 0
            let page = all.dropFirst(start).prefix(Int(request.query("limit") ?? "") ?? 100)
            return .json(
                #"{"data":[\#(page.map(Self.json).joined(separator: ","))],"last_id":"\#(page.last?.id ?? "")","#
                    + #""has_more":\#(page.endIndex < all.endIndex)}"#
            )
        }
        on(.get, "/files/*") { [files] request in
            guard let file = Self.file(of: request, in: files) else { return Self.noFile }
            return .json(Self.json(file))
        }
        on(.get, "/files/*/content") { [files] request in
            guard let file = Self.file(of: request, in: files) else { return Self.noFile }
            return .data(file.content)
        }
        on(.delete, "/files/*") { [files] request in
            guard let file = Self.file(of: request, in: files) else { return Self.noFile }
            files.stored.withLock { $0.removeAll { $0.id == file.id } }
            return .json(#"{"id":"\#(file.id)","deleted":true}"#)
        }
    }

    private static let noFile = refusal(404, "No such File object.", "invalid_request_error", code: "not_found")

    private static func file(
        of request: LoopbackRequest,
        in files: Files
    ) -> (id: String, name: String, purpose: String, content: Data)? {
        let id = request.path.split(separator: "/")[2]
        return files.stored.withLock { $0.first { $0.id == id } }
    }

    private static func json(_ file: (id: String, name: String, purpose: String, content: Data)) -> String {
        #"{"id":"\#(file.id)","bytes":\#(file.content.count),"created_at":1700000000,"#
            + #""filename":"\#(file.name)","purpose":"\#(file.purpose)"}"#
    }
}
