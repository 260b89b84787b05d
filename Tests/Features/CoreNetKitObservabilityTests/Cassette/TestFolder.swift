import CoreNetKitHTTP
import Foundation
import TestSupport

/// A folder of one test, which goes with it.
final class TestFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("test-\(UUID().uuidString)")
    /// Where its tape is.
    var tape: URL { url.appendingPathComponent("tape.har") }

    init() { try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// A request of JSON.
func post(_ address: String, _ json: String, _ headers: Headers = [:]) -> TransportRequest {
    var fields: Headers = ["Content-Type": "application/json"]
    fields.merge(headers)
    return TransportRequest(method: .post, url: url(address), headers: fields, body: .bytes(Data(json.utf8)))
}
