import CoreNetKitEssentials
import CoreNetKit
import CoreNetKitChain
import CoreNetKitHTTP

/// The result of the download node for the end of the chain.
struct DownloadResult: Sendable {
    var size: Int
    var reused: Int
    var isUnchanged = false
}

private enum DownloadKey: Attributes.Key {
    typealias Value = DownloadResult
}

extension TransportResponse {
    /// The result of the download node.
    var download: DownloadResult? {
        get { attributes[DownloadKey.self] }
        set { attributes[DownloadKey.self] = newValue }
    }
}

/// The output of a download chain: the response with its file.
struct DownloadPayload: ResponsePayload, RawDecodable, DTODecodable {
    typealias Raw = DownloadPayload
    typealias DTO = DownloadPayload
    static let accept = "*/*"
    static let delivery: ResponseDelivery? = .stream

    let download: Download

    init(response: TransportResponse) throws {
        guard case .file(let file) = response.body, let result = response.download else {
            throw NetworkError(.invalidChain, "a node in front of the download responded", node: "ResumeNode")
        }
        download = Download(
            file: file,
            size: result.size,
            reused: result.reused,
            isUnchanged: result.isUnchanged,
            headers: response.headers,
            url: response.url
        )
    }

    static func from(raw: DownloadPayload) -> DownloadPayload { raw }
    static func from(dto: DownloadPayload) -> DownloadPayload { dto }
}
