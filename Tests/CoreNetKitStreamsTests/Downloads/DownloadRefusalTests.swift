import CoreNetKit
import CoreNetKitMock
import CoreNetKitStreams
import Foundation
import TestPace
import Testing

@Suite("Downloads that are refused", .timeLimit(.minutes(10)), .paced)
struct DownloadRefusalTests {
    @Test("a refusal that is compressed is a refusal")
    func codedRefusal() async throws {
        let refusal = MockResponse.text("no", status: 404).header("Content-Encoding", "x-none")
        let mock = MockTransport { $0.on(.get, "/file", refusal) }
        let target = FileManager.default.temporaryDirectory.appending(path: "download-\(UUID().uuidString)")
        let download = UrlChainsBuilder(client: Client(transport: mock)).route(.get, "http://a.test/file")
            .download(to: target)
        let error = await #expect(throws: NetworkError.self) { try await download.process() }
        #expect(error?.code == .notFound)
    }
}
