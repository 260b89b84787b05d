import CoreNetKit
import CoreNetKitStreams
import ExampleReport
import Foundation
import ProgramArguments

/// A client for OpenAI's interface, against a server of its own: the calls are in OpenAI.swift.
@main
struct OpenAIClient {
    static func main() async throws {
        _ = ProgramArguments(
            """
            usage: OpenAIClient

            Chats, embeds and stores files with a client for OpenAI's interface, against a server of its own.
            """
        )
        let server = try Server()
        let openAI = OpenAI(key: Server.key, base: server.base)
        var report = Report()
        do {
            try await chat(openAI, &report)
            try await errors(server, openAI, &report)
            try await media(openAI, &report)
            try await files(openAI, &report)
        } catch {
            report.check(false, "a call that was to succeed", "\(error)")
        }
        server.stop()
        report.end()
    }

    private static func chat(_ openAI: OpenAI, _ report: inout Report) async throws {
        var request = ChatRequest(model: "gpt-example", messages: [.init(role: "user", content: "Why?")], maxTokens: 64)
        let chat = try await openAI.chat(request)
        report.check(chat.choices.first?.message.content == "Blue.", "chat", "asked again after a 429: Blue.")
        report.check(chat.usage.totalTokens == 64 && chat.created.timeIntervalSince1970 == 1.7e9, "snake_case, dates")

        let pieces = try await openAI.chatPieces(request)
        let texts = try await pieces.reduce(into: [String]()) { $0.append($1.model.text) }
        report.check(texts == ["", "The sky ", "is blue."], "chat in pieces", texts.joined())

        request.messages[0].content = "break"
        var text = ""
        do {
            for try await piece in try await openAI.chatPieces(request) { text += piece.model.text }
            report.check(false, "an error in the stream", "none came")
        } catch let error as APIError {
            report.check(error.code == "overloaded" && text == "The sky ", "an error in the stream", error.message)
        }

        var tokens: Int?
        text = ""
        for try await event in try await openAI.responseEvents(.init(model: "gpt-example", input: "Why?")) {
            text += event.model.delta ?? ""
            tokens = event.model.response?.usage.totalTokens ?? tokens
        }
        report.check(text == "Blue." && tokens == 9, "typed events", "\(text) \(tokens ?? 0) tokens")
    }

    private static func errors(_ server: Server, _ openAI: OpenAI, _ report: inout Report) async throws {
        let stranger = OpenAI(key: "sk-wrong", base: server.base)
        let request = ChatRequest(model: "gpt-none", messages: [])
        await report.refusal("invalid_api_key", "a wrong key") { _ = try await stranger.models() }
        await report.refusal("model_not_found", "an unknown model") { _ = try await openAI.chat(request) }
        await report.refusal("model_not_found", "in pieces") { _ = try await openAI.chatPieces(request) }
        await report.refusal("not_found", "an unknown file") { _ = try await openAI.content(of: "file/../7") }
    }

    private static func media(_ openAI: OpenAI, _ report: inout Report) async throws {
        let vectors = try await openAI.embeddings(of: ["a", "b"], model: "embedding-example")
        report.check(vectors == [[0, 0.5], [1, 0.5]], "embeddings", "\(vectors)")
        let verdict = try await openAI.moderate("Hello").first
        report.check(verdict?.flagged == false, "moderation")
        let sound = try await openAI.speech(.init(model: "tts-example", voice: "alloy", input: "Hello"))
        report.check(sound == Data("Hello".utf8), "speech", "\(sound.count) bytes")
        let text = try await withFile("hello.mp3", Data("Hello".utf8)) {
            try await openAI.transcribe($0, model: "whisper")
        }
        report.check(text == "Hello", "transcription", text)
        let models = try await openAI.models().map(\.id)
        let model = try await openAI.model("gpt-example")
        report.check(models == ["gpt-example"] && model.ownedBy == "example", "models", models.joined())
    }

    private static func files(_ openAI: OpenAI, _ report: inout Report) async throws {
        let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        var stored: [StoredFile] = []
        for number in 1...3 {
            stored.append(
                try await withFile("rows-\(number).jsonl", content) { try await openAI.upload($0, purpose: "batch") }
            )
        }
        report.check(stored.map(\.bytes) == [300_000, 300_000, 300_000], "upload", stored[0].filename)

        let list = openAI.files(for: "batch", pageSize: 2)
        let names = try await list.elements(\.data).reduce(into: [String]()) { $0.append($1.id) }
        report.check(names == stored.map(\.id) && list.state.pages == 2, "files", "\(names.count) on 2 pages")

        let isSame = try await openAI.content(of: stored[1].id) == content
        let one = try await openAI.file(stored[1].id)
        report.check(isSame && one.purpose == "batch", "content of a file")
        let deletion = try await openAI.deleteFile(stored[0].id)
        await report.refusal("not_found", "a deleted file") { _ = try await openAI.file(deletion.id) }
    }

    private static func withFile<Result: Sendable>(
        _ name: String,
        _ content: Data,
        _ use: (URL) async throws -> Result
    ) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "openai-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: name)
        try content.write(to: file)
        return try await use(file)
    }
}

extension Report {
    /// Expects an ``APIError`` with this code.
    mutating func refusal(_ code: String, _ title: String, _ call: () async throws -> Void) async {
        do {
            try await call()
            check(false, title, "was accepted")
        } catch let error as APIError {
            check(error.code == code, title, error.message)
        } catch {
            check(false, title, "\(error)")
        }
    }
}
