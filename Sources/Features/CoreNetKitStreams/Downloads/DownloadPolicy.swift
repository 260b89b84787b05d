import CoreNetKit
import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// As a key: what the node of a complete download knows of it.
struct DownloadPolicy: ChainPolicy, Attributes.Key {
    typealias Value = (size: Int, reused: Int, isUnchanged: Bool)

    let target: URL
    let resume: DownloadResume
    let check: DownloadCheck
    var refresh = DownloadRefresh.always
    var files: any FileOperations = PosixFiles()
    var progress: TransferMonitor?
    /// How many requests load the content concurrently.
    var segments = 1
    var accepted: [TransportResponse.AcceptedType]?

    var positions: [ChainPosition] { [ResumeNode.position] }
    var problem: String? {
        if case .sha256(let digest) = check.kind, digest?.count != 32 { return "the given SHA-256 is not valid" }
        return target.isFileURL ? nil : "the target of a download is not a file URL"
    }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        ResumeNode(next: next, policy: self)
    }

    func held(_ part: DownloadPart, for request: TransportRequest) -> HeldContent {
        mayUse(part, for: request) ? part.held : HeldContent()
    }

    func plan(of part: DownloadPart, for request: TransportRequest) -> SegmentPlan? {
        mayUse(part, for: request) ? part.plan : nil
    }

    /// A part from another URL may hold other content with the same validator.
    private func mayUse(_ part: DownloadPart, for request: TransportRequest) -> Bool {
        part.isOwn || resume.isFromAnywhere || check.isSure
            || part.sidecar?.place == DownloadSidecar.resourceHash(of: request.url)
    }

    /// Ranges and digests count bytes as they are sent: they must not be compressed.
    func request(_ input: TransportRequest, for held: HeldContent, unless current: CurrentFile?) -> TransportRequest {
        var request = input
        request.delivery = .stream
        request.headers["Accept-Encoding"] = "identity"
        request.coding = .identity
        request.headers.merge(held.fields)
        if let current { request.headers.merge(current.fields) }
        if case .reprDigest = check.kind { request.headers["Want-Repr-Digest"] = "sha-256=10" }
        return request
    }

    /// Rejects compressed content and media types that are not accepted, before anything is written.
    func check(_ response: TransportResponse, to request: TransportRequest) throws {
        if let refusal = accepted?.refusal(of: response, to: request, node: "ResumeNode") { throw refusal }
        guard (200...299).contains(response.status), response.headers.isCompressed else { return }
        let coding = response.headers["Content-Encoding"] ?? ""
        let error = DownloadError(.codedContent, "the server sends \(coding), although it was asked not to")
        throw ResumeCall.failure(error, response)
    }

    func expectedDigest(_ headers: Headers) throws(DownloadError) -> [UInt8]? {
        switch check.kind {
        case .none: return nil
        case .sha256(let digest): return digest
        case .reprDigest(let isRequired):
            let digest = headers.reprDigest
            if digest == nil, isRequired { throw DownloadError(.missingDigest, "the response has no Repr-Digest") }
            return digest
        }
    }

    /// The end of the chain, whose response has the file.
    static func download(of response: TransportResponse) throws -> Download {
        guard case .file(let file) = response.body, let result = response.attributes[DownloadPolicy.self] else {
            throw NetworkError(.invalidChain, "a node in front of the download responded", node: "ResumeNode")
        }
        return Download(
            file: file,
            size: result.size,
            reused: result.reused,
            isUnchanged: result.isUnchanged,
            headers: response.headers,
            url: response.url
        )
    }

    func report(received: Int, of total: Int?) {
        progress?.update { state in
            state.received = Int64(received)
            state.receivedTotal = total.map(Int64.init)
        }
    }
}

extension Headers {
    /// The SHA-256 in `Repr-Digest` (RFC 9530): of the complete content, also in a response with a part of it.
    var reprDigest: [UInt8]? {
        var found: [UInt8]?
        for member in self[values: "Repr-Digest"].flatMap({ $0.split(separator: ",") }) {
            let pair = member.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" } }
            guard pair.count == 2, pair[0] == "sha-256" else { continue }
            // A byte sequence is enclosed in colons; parameters may follow it.
            let parts = pair[1].split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count >= 3, parts[0].isEmpty, let bytes = Data(base64Encoded: String(parts[1])),
                bytes.count == 32
            else { continue }
            // If a name occurs twice, the last member counts.
            found = Array(bytes)
        }
        return found
    }
}
