import CoreNetKit
import CoreNetKitEssentials
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// Loads the response of a chain into a file.
struct DownloadPolicy: ChainPolicy {
    let target: URL
    let resume: DownloadResume
    let check: DownloadCheck
    var refresh = DownloadRefresh.always
    var files: any FileOperations = PosixFiles()
    var progress: TransferMonitor?
    /// How many requests load the content concurrently.
    var segments = 1
    /// The accepted media types; `nil` for any.
    var accepted: [TransportResponse.AcceptedType]?

    var positions: [ChainPosition] { [ResumeNode.position] }
    var scope: PolicyScope { .unknown }
    var problem: String? {
        if case .sha256(let digest) = check.kind, digest?.count != 32 { return "the given SHA-256 is not valid" }
        return target.isFileURL ? nil : "the target of a download is not a file URL"
    }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        ResumeNode(next: next, policy: self)
    }

    /// What a request can use of a part: one from another URL may hold other content with the same validator.
    func held(_ part: DownloadPart, for request: TransportRequest) -> HeldContent {
        let isOurs = part.isOwn || resume.isFromAnywhere || check.isSure
        return isOurs || part.sidecar?.place == DownloadSidecar.resourceHash(of: request.url)
            ? part.held : HeldContent()
    }

    /// What several requests can use of a part.
    func plan(of part: DownloadPart, for request: TransportRequest) -> SegmentPlan? {
        let isOurs = part.isOwn || resume.isFromAnywhere || check.isSure
        return isOurs || part.sidecar?.place == DownloadSidecar.resourceHash(of: request.url) ? part.plan : nil
    }

    /// Ranges and digests count bytes as they are sent: they must not be compressed.
    func request(_ input: TransportRequest, for held: HeldContent, unless current: CurrentFile?) -> TransportRequest {
        var request = input
        request.delivery = .stream
        request.askForIdentity()
        request.headers.merge(held.fields)
        if let current { request.headers.merge(current.fields) }
        if case .reprDigest = check.kind { request.headers["Want-Repr-Digest"] = "sha-256=10" }
        return request
    }

    /// Rejects compressed content and media types that are not accepted, before anything is written.
    func check(_ response: TransportResponse, to request: TransportRequest) throws {
        if let refusal = accepted?.refusal(of: response, to: request, node: "ResumeNode") { throw refusal }
        try refuseCoding(response)
    }

    func refuseCoding(_ response: TransportResponse) throws {
        guard (200...299).contains(response.status), response.headers.isCompressed else { return }
        let coding = response.headers["Content-Encoding"] ?? ""
        let error = DownloadError(.codedContent, "the server sends \(coding), although it was asked not to")
        throw NetworkError(
            .invalidResponse,
            "\(error)",
            node: "ResumeNode",
            response: FailedResponse(response),
            cause: error
        )
    }

    func expectedDigest(_ headers: Headers) throws(DownloadError) -> [UInt8]? {
        switch check.kind {
        case .none: return nil
        case .sha256(let digest): return digest
        case .reprDigest(let isRequired):
            let digest = ReprDigest.sha256(in: headers)
            if digest == nil, isRequired { throw DownloadError(.missingDigest, "the response has no Repr-Digest") }
            return digest
        }
    }

    func report(received: Int, of total: Int?) {
        progress?.update { state in
            state.received = Int64(received)
            state.receivedTotal = total.map(Int64.init)
        }
    }
}
