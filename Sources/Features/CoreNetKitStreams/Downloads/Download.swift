import CoreNetKit
import CoreNetKitChain
public import CoreNetKitEssentials
public import CoreNetKitHTTP

/// The result of the download node for the end of the chain.
struct DownloadResult: Attributes.Key {
    typealias Value = DownloadResult

    let size: Int
    let reused: Int
    var isUnchanged = false
}

/// The output of a download chain: the response with its file.
struct DownloadPayload: ResponsePayload, RawDecodable, DTODecodable {
    typealias Raw = DownloadPayload
    typealias DTO = DownloadPayload
    static let accept = "*/*"
    static let delivery: ResponseDelivery? = .stream

    let download: Download

    init(response: TransportResponse) throws {
        guard case .file(let file) = response.body, let result = response.attributes[DownloadResult.self] else {
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

/// A completed download.
public struct Download: Sendable {
    /// The file.
    public let file: URL
    /// Its size in bytes.
    public let size: Int
    /// How many of its bytes were already there before this call.
    public let reused: Int
    /// Whether the existing file was current and nothing was loaded (``DownloadRefresh/ifChanged``).
    public let isUnchanged: Bool
    /// The fields of the last response.
    public let headers: Headers
    /// The URL of the last response.
    public let url: URL
}
