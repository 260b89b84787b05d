import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitJson
import CoreNetKitSystem

import CoreNetKitEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Performs the requests of another program, one JSON object per line, so that the public suite's own engine can play.
struct Driver: Sendable {
    let sockets: OverSockets

    /// Reads lines from the input until it ends; reports each result as soon as it is there.
    func run() async {
        var clients: [String: Client] = [:]
        let output = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for await line in Self.lines() {
                guard let json = try? Json(parsing: line), let test = json["test"]?.string else { continue }
                let client = clients[test] ?? sockets.client(test)
                clients[test] = client
                group.addTask {
                    var reply = await Self.outcome(of: json, client)
                    reply["id"] = json["id"]
                    guard let text = try? reply.text() else { return }
                    output.withLock { $0 += Self.tell(text + "\n") }
                }
            }
        }
    }

    /// Writes a line without the library's buffers, whose flushing would wait for the reading thread.
    ///
    /// - Returns: The number of bytes.
    private static func tell(_ line: String) -> Int {
        let bytes = Array(line.utf8)
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            start += count
        }
        return bytes.count
    }

    /// The lines of the input, read by a thread that may block.
    private static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            let hasStarted = DetachedThread.start {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
            if !hasStarted { continuation.finish() }
        }
    }

    private static func outcome(of json: Json, _ client: Client) async -> Json {
        guard let url = json["url"]?.string.flatMap({ URL(string: $0) }) else { return ["error": "no URL"] }
        var request = TransportRequest(url: url)
        if let method = json["method"]?.string { request.method = HTTPMethod(rawValue: method) }
        if let body = json["body"]?.string { request.body = .bytes(Data(body.utf8)) }
        for field in json["headers"]?.array ?? [] {
            guard let name = field[0]?.string, let value = field[1]?.string else { continue }
            request.headers.append(name, value)
        }
        do {
            let isRevalidation = json["cache"]?.string == "no-cache"
            let response = try await OverSockets.send(request, client, isRevalidation: isRevalidation)
            let body = try await response.body.collect()
            return [
                "status": Json(response.status),
                "headers": Json(response.headers.fields.map { Json([Json($0.name), Json($0.value)]) }),
                "body": Json(String(decoding: body, as: UTF8.self)),
            ]
        } catch {
            return ["error": Json("\(error)")]
        }
    }
}
