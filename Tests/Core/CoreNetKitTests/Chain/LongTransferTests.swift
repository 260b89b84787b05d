import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitMock
import Foundation
import TestPace
import Testing
import TestSupport

/// The limits that reach the transport: what is left of a deadline is the total of the exchange.
@Suite("Long transfers", .timeLimit(.minutes(10)), .paced)
struct LongTransferTests {
    enum Kind: String, CaseIterable {
        case stream, modelStream, download, fileUpload, streamUpload
        case model, data, nothing

        var takesItsTime: Bool { ![.model, .data, .nothing].contains(self) }
    }

    /// Content that is read while it is sent.
    struct Upload: RequestPayload, RawEncodable, DTOEncodable {
        typealias DTO = Upload
        typealias Raw = Upload
        let body: RequestBody

        func encoded(as encoding: ParametersEncoding, strategies: ParameterStrategies) -> EncodedPayload {
            EncodedPayload(body: body, contentType: "application/octet-stream")
        }

        func toRaw() -> Upload { self }
        func toDTO() -> Upload { self }
    }

    let requests = Recorder<TransportRequest>()

    private func call(_ kind: Kind, _ change: (UrlChainsBuilder<String>) -> UrlChainsBuilder<String>) async throws
        -> Timeouts
    {
        let file = FileManager.default.temporaryDirectory.appending(path: "transfer-\(UUID().uuidString)")
        let transport = ClosureTransport { request in
            requests.record(request)
            let isDownload = request.delivery == .file(file)
            return .init(status: 200, body: isDownload ? .file(file) : .bytes(Data("{}".utf8)), url: request.url)
        }
        let client = Client(transport: transport, clock: CallClock(ManualClock()))
        let builder = change(UrlChainsBuilder<String>(client: client)).route(.post, "http://a.test/")
        switch kind {
        case .stream: _ = try await builder.loadStream().process() as ResponseStream
        case .modelStream:
            let chain: Chain<User, ResponseStream> = builder.loadStream()
            _ = try await chain.process(User.ada) as ResponseStream
        case .download: _ = try await builder.download(to: file).process() as Response<URL>
        case .fileUpload: try await send(Upload(body: .file(file)), builder)
        case .streamUpload:
            try await send(Upload(body: .stream { AsyncThrowingStream<Data, any Error> { $0.finish() } }), builder)
        case .model: let _: Json = try await builder.build().process(User.ada)
        case .data: _ = try await builder.loadData().process() as Data
        case .nothing: try await builder.build().process()
        }
        return try #require(requests.values.last).timeouts
    }

    private func send(_ upload: Upload, _ builder: UrlChainsBuilder<String>) async throws {
        let chain: Chain<Upload, Void> = builder.build()
        try await chain.process(upload)
    }

    @Test("have an idle limit and no total one; others may take 60 s", arguments: Kind.allCases)
    func standard(kind: Kind) async throws {
        let timeouts = try await call(kind) { $0 }
        #expect(timeouts.total == (kind.takesItsTime ? nil : .seconds(60)))
        #expect(timeouts.idle == .seconds(30))
    }

    @Test("have the requested deadline, even if it is the default one", arguments: Kind.allCases)
    func asked(kind: Kind) async throws {
        for limit in [Duration.seconds(5), .seconds(60)] {
            #expect(try await call(kind) { $0.set(deadline: limit) }.total == limit)
        }
        #expect(try await call(kind) { $0.set(deadline: nil) }.total == nil)
        #expect(try await call(kind) { $0.set(timeouts: Timeouts(idle: .seconds(7))) }.idle == .seconds(7))
    }
}
