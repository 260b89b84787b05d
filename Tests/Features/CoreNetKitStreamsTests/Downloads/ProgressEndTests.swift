import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitStreams
import Foundation
import TestPace
import Testing

@Suite("Progress of a call that fails before it has an exchange", .timeLimit(.minutes(10)), .paced)
struct ProgressEndTests {
    /// A way to fail, without a server.
    struct Way: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let call: @Sendable (TransferMonitor) async throws -> Void

        init(_ name: String, _ call: @escaping @Sendable (TransferMonitor) async throws -> Void) {
            (testDescription, self.call) = (name, call)
        }
    }

    private static func builder(_ monitor: TransferMonitor) -> UrlChainsBuilder<String> {
        UrlChainsBuilder<String>().route(.put, "http://a.test/").progress(in: monitor)
    }

    static let ways: [Way] = [
        Way("no route") { monitor in
            let chain: Chain<Void, Void> = UrlChainsBuilder<String>().progress(in: monitor).build()
            try await chain.process()
        },
        Way("invalid URL") { monitor in
            let chain: Chain<Void, Void> = builder(monitor).route(.put, "nowhere").build()
            try await chain.process()
        },
        Way("missing file") { monitor in
            let chain: Chain<MultipartModel, Void> = builder(monitor).build()
            try await chain.process(MultipartModel([.file("photo", .url(url: URL(filePath: "/missing/file")))]))
        },
        Way("refused by an outer policy") { monitor in
            let refusing = builder(monitor).insert(at: .outside(of: .pace, "refusal")) { next in
                AnyNode<TransportRequest, TransportResponse>("Refusal", successors: [next]) { _, _ in
                    throw NetworkError(.userChanged, "signed out", node: "Refusal")
                }
            }
            let chain: Chain<Void, Void> = refusing.build()
            try await chain.process()
        },
        Way("cancelled before it began") { monitor in
            let chain: Chain<Void, Void> = builder(monitor).build()
            withUnsafeCurrentTask { $0?.cancel() }
            try await chain.process()
        },
        Way("an upload without a valid URL") { monitor in
            let chain = UrlChainsBuilder<String>().route(.post, "nowhere")
                .upload(.bytes(Data("x".utf8)), using: .tus(), progress: monitor)
            _ = try await chain.process()
        },
        Way("a download without a valid URL") { monitor in
            let chain = UrlChainsBuilder<String>().route(.get, "nowhere")
                .download(to: URL(filePath: "/missing/file"), resume: .automatic, progress: monitor)
            _ = try await chain.process()
        },
    ]

    @Test("ends with the call", arguments: ways)
    func ends(_ way: Way) async {
        let monitor = TransferMonitor()
        let states = monitor.progress
        let call = Task { try await way.call(monitor) }
        await #expect(throws: (any Error).self) { try await call.value }
        #expect(monitor.current.isFinished)
        // It would wait for ever.
        for await _ in states {}
    }
}
