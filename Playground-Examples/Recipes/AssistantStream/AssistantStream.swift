import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitStreams
import Foundation

/// A question is sent by POST, and the reply arrives word by word, as with language model interfaces.
@main
struct AssistantStream {
    nonisolated struct Question: Encodable, Sendable { var prompt: String }
    nonisolated struct Delta: Decodable, Sendable { var text: String }
    struct Fault: Error, Decodable { var type: String }

    static func main() async throws {
        let server = try LoopbackServer()
        server.on(.post, "/good", words("The ", "sky ", "is ", "blue.", end: "data: [DONE]\n\n"))
        server.on(.post, "/busy", words("The ", end: "event: error\ndata: {\"type\":\"overloaded_error\"}\n\n"))
        server.on(.post, "/cut", words("The ", "sky ", end: ""))
        for path in ["/good", "/busy", "/cut"] {
            let chain: Chain<Question, EventStream<Delta>> = UrlChainsBuilder<URL>()
                .route(.post, server.url(path))
                .events(sending: .json, reading: .json)
                .until(data: "[DONE]")
                .failing(on: "error", as: Fault.self)
            var text = ""
            do {
                for try await event in try await chain.call(Question(prompt: "why?")) { text += event.model.text }
                print("\(path): \(text)")
            } catch let error as NetworkError {
                print("\(path): \(text)… \(error.code), \(error.cause.map { "\($0)" } ?? "no cause")")
            }
        }
    }

    static func words(_ words: String..., end: String) -> LoopbackResponse {
        let events = words.map { "event: delta\ndata: {\"text\":\"\($0)\"}\n\n" }.joined() + end
        return LoopbackResponse(headers: ["Content-Type": "text/event-stream"], body: .text(events))
    }
}
