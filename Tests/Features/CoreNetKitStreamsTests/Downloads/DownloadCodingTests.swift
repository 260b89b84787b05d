import CoreNetKitChain
import CoreNetKitHTTP
import Foundation
import TestPace
import Testing

@testable import CoreNetKitStreams

@Suite("A download requested without coding", .paced)
struct DownloadCodingTests {
    @Test(
        "is refused if its content is coded; an error's may be",
        arguments: [
            (200, "gzip", true), (206, "br", true), (200, "Identity", false), (200, "aws-chunked", false),
            (206, "UTF-8", false),
            (200, "x, GZIP", true), (404, "gzip", false),
            (304, "gzip", false),
        ]
    )
    func coding(status: Int, coding: String, isRefused: Bool) throws {
        let url = try #require(URL(string: "http://a.test/file"))
        let policy = DownloadPolicy(target: URL(filePath: "/tmp/file"), resume: .automatic, check: .size)
        let response = TransportResponse(status: status, headers: ["Content-Encoding": coding], url: url)
        if isRefused {
            let error = #expect(throws: NetworkError.self) { try policy.refuseCoding(response) }
            #expect((error?.cause as? DownloadError)?.code == .codedContent)
        } else {
            #expect(throws: Never.self) { try policy.refuseCoding(response) }
        }
    }
}
