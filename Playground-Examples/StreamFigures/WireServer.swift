import CoreNetKitHTTP
import CoreNetKitLoopback
import Foundation

/// The server of ``WireFigures``: a process of its own, so that its processor time is not counted.
enum WireServer {
    /// Serves until its standard input ends; prints its address.
    static func run() throws {
        let server = try LoopbackServer(recording: .off)
        let text = String(repeating: "x", count: 47)
        let event = Data(String(repeating: "event: token\ndata: {\"token\":\"\(text)\"}\n\n", count: 250).utf8)
        let token = Data(String(repeating: "{\"token\":\"\(text)xxxxxxxxxxxxxxxxxxxx\"}\n", count: 250).utf8)
        let line = Data(String(repeating: "{\"token\":\"\(String(repeating: "x", count: 1_000))\"}\n", count: 60).utf8)
        func stream(_ path: String, _ type: String, _ chunk: Data, _ count: Int) {
            server.on(.get, path) { _ in
                LoopbackResponse(
                    headers: ["Content-Type": type],
                    body: .stream(length: nil) { $0 < count ? chunk : nil }
                )
            }
        }
        stream("/events", "text/event-stream", event, WireFigures.events / 250)
        stream("/tokens", "application/jsonl", token, WireFigures.events / 250)
        stream("/lines", "application/jsonl", line, .max)
        server.on(.get, "/pages") { request in
            let number = request.query("cursor").flatMap(Int.init) ?? 1
            let next = number < WireFigures.pages ? ",\"next\":\"\(number + 1)\"" : ""
            return .json("{\"items\":[1,2,3,4,5,6,7,8,9,10]\(next)}")
        }
        file(of: server)
        print(server.url(""))
        fflush(nil)
        while readLine() != nil {}
        server.stop()
    }

    private static func file(of server: LoopbackServer) {
        let content = Data((0..<64 << 20).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        server.on(.get, "/file") { request in
            var response = LoopbackResponse.data(content).header("ETag", "\"1\"")
            guard let start = request.headers["Range"].flatMap({ Int($0.dropFirst(6).prefix { $0 != "-" }) }) else {
                return request.query("breaks") == nil ? response : response.fault(.close(.inBody(content.count / 2)))
            }
            response.status = 206
            response.body = .data(Data(content[start...]))
            return response.header("Content-Range", "bytes \(start)-\(content.count - 1)/\(content.count)")
        }
    }

    /// That process.
    struct Child {
        private let process = Process()
        private let input = Pipe()
        let address: String

        init() throws {
            let output = Pipe()
            process.executableURL = Bundle.main.executableURL
            process.arguments = ["server"]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            address = line.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        func end() {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
    }
}
