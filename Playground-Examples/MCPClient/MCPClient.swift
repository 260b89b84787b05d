import CoreNetKit
import CoreNetKitLoopback
import ExampleReport
import Foundation
import ProgramArguments
import Synchronization

/// A client of the Model Context Protocol, against a server of its own: the client is in MCP.swift.
@main
struct MCPClient {
    static func main() async throws {
        _ = ProgramArguments(
            """
            usage: MCPClient

            Lists and calls the tools of a server that speaks the Model Context Protocol over streamable HTTP.
            """
        )
        let server = try Server()
        let told = Told()
        let client = MCP(server.endpoint) { told.add($0["method"]?.string ?? "") }
        var report = Report()
        do {
            let about = try await client.initialize(as: "MCPClient")
            let name = about["serverInfo"]?["name"]?.string ?? "nothing"
            report.check(name == "example", "a session", "with \(name)")
            let tools = try await client.tools().compactMap { $0["name"]?.string }
            report.check(tools == ["add", "weather"], "tools of two pages", tools.joined(separator: ", "))
            let sum = try await client.call(tool: "add", ["numbers": [2, 3]])["content"]?[0]?["text"]?.string
            report.check(sum == "5" && told.all == ["notifications/progress"], "a reply behind progress", sum ?? "")
            do {
                _ = try await client.call(tool: "divide", [:])
                report.check(false, "an error of the server", "none came")
            } catch let fault as MCP.Fault {
                report.check(fault.code == -32602, "an error of the server", fault.message)
            }
            try await client.end()
            report.check(server.loopback.requests.last?.method == .delete, "the end of the session")
        } catch {
            report.check(false, "a call that was to succeed", "\(error)")
        }
        server.loopback.stop()
        report.end()
    }
}

/// What the server has said before its replies.
nonisolated final class Told: Sendable {
    private let methods = Mutex<[String]>([])
    var all: [String] { methods.withLock { $0 } }

    func add(_ method: String) { methods.withLock { $0.append(method) } }
}
