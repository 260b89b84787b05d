import CoreNetKitStreams
import TestSupport

/// Takes uploads by tus 1.0 and by the draft, and breaks off where it is told to.
final class UploadHost: Sendable {
    struct State: Sendable {
        var bytes: [UInt8] = []
        var isCreated = false
        var isComplete = false
        /// What the client of tus has said of the length.
        var length: Int?
        /// How many bytes each request with content gets through before the connection breaks.
        var breaks: Int?
        /// How many requests with content break.
        var breakCount = Int.max
        /// The statuses of the next requests, whatever they are.
        var refusals: [Int] = []
        /// What they say of the time after which a request may come again.
        var retryAfter: String?

        mutating func refuse() -> LoopbackResponse? {
            guard let status = refusals.first else { return nil }
            refusals.removeFirst()
            return .status(status, headers: retryAfter.map { ["Retry-After": $0] } ?? [:])
        }

        /// The token that requests must have.
        var token: String?
        /// Whether the content of the response that creates an upload is cut off.
        var cutsCreation = false
        /// Called when content was taken, under the lock.
        var onTaken: (@Sendable (inout State) -> Void)?
        /// Whether the draft's server tells the location before the content.
        var isEarly = true
        /// The version of the draft that it insists on, and whose responses it sends.
        var interop: UploadMethod.Interop?
    }

    static let content = FileHost.content(100_000)

    let server: LoopbackServer
    let state = Locked(State())
    /// Where what is uploaded lies.
    let folder: TemporaryFolder

    init(isTus: Bool, size: Int = content.count) throws {
        (server, folder) = (try LoopbackServer(), try TemporaryFolder())
        serve(.post, "/files") { isTus ? Self.tusCreate($0, &$1) : Self.draftCreate($0, &$1) }
        serve(.head, "/files/1") { _, state in
            guard state.isCreated else { return .status(404) }
            var headers: Headers = ["Upload-Offset": "\(state.bytes.count)", "Cache-Control": "no-store"]
            if !isTus { headers["Upload-Complete"] = state.isComplete ? "?1" : "?0" }
            if isTus, let length = state.length { headers["Upload-Length"] = "\(length)" }
            if isTus, state.length == nil { headers["Upload-Defer-Length"] = "1" }
            return .status(isTus ? 200 : 204, headers: headers)
        }
        serve(.patch, "/files/1") { request, state in
            if let refusal = state.refuse() { return refusal }
            guard state.isCreated else { return .status(404) }
            guard request.headers["Upload-Offset"] == "\(state.bytes.count)" else {
                return .status(409, headers: ["Upload-Offset": "\(state.bytes.count)"])
            }
            if isTus, let refusal = Self.takeLength(request, &state) { return refusal }
            if let broken = Self.take(request, &state) { return broken }
            let isComplete = isTus ? state.bytes.count == size : request.headers["Upload-Complete"] == "?1"
            state.isComplete = isComplete
            let onTaken = state.onTaken
            onTaken?(&state)
            if state.interop != nil { return Self.taken(state, at: [:]) }
            var headers: Headers = ["Upload-Offset": "\(state.bytes.count)"]
            if isTus { return .status(204, headers: headers) }
            headers["Upload-Complete"] = isComplete ? "?1" : "?0"
            let body: LoopbackResponse.Body = .text(isComplete ? "done" : "")
            return LoopbackResponse(status: isComplete ? 200 : 201, headers: headers, body: body)
        }
    }

    /// Responds to requests that have the right token and version.
    private func serve(
        _ method: HTTPMethod,
        _ path: String,
        _ respond: @escaping @Sendable (LoopbackRequest, inout State) -> LoopbackResponse
    ) {
        server.on(method, path) { [state] request in
            state.withLock { Self.refusal(request, $0) ?? respond(request, &$0) }
        }
    }

    /// The response to bytes that were taken, as the version has it.
    private static func taken(_ state: State, at place: Headers) -> LoopbackResponse {
        var headers = place
        if state.interop == .version6 {
            headers["Upload-Offset"] = "\(state.bytes.count)"
            if !state.isComplete { headers["Upload-Complete"] = "?0" }
            return .status(201, headers: headers)
        }
        headers["Upload-Complete"] = state.isComplete ? "?1" : "?0"
        return .status(state.isComplete ? 200 : place.isEmpty ? 204 : 201, headers: headers)
    }

    private static func refusal(_ request: LoopbackRequest, _ state: State) -> LoopbackResponse? {
        if let interop = state.interop, request.headers["Upload-Draft-Interop-Version"] != "\(interop.rawValue)" {
            return .status(400)
        }
        guard let token = state.token, request.headers["Authorization"] != "Bearer \(token)" else { return nil }
        return .status(401)
    }

    private static func tusCreate(_ request: LoopbackRequest, _ state: inout State) -> LoopbackResponse {
        if let refusal = state.refuse() { return refusal }
        (state.isCreated, state.bytes) = (true, [])
        state.length = request.headers["Upload-Length"].flatMap { Int($0) }
        guard (state.length == nil) == (request.headers["Upload-Defer-Length"] == "1") else { return .status(400) }
        let created = LoopbackResponse.status(201, headers: ["Location": "/files/1", "Tus-Resumable": "1.0.0"])
        guard state.cutsCreation else { return created }
        var cut = created.fault(.close(.inBody(5)))
        cut.body = .text("0123456789")
        return cut
    }

    /// A length is said once, and never with less than is there.
    private static func takeLength(_ request: LoopbackRequest, _ state: inout State) -> LoopbackResponse? {
        guard let length = request.headers["Upload-Length"] else { return nil }
        guard state.length == nil, let length = Int(length), length >= state.bytes.count else { return .status(400) }
        state.length = length
        return nil
    }

    private static func draftCreate(_ request: LoopbackRequest, _ state: inout State) -> LoopbackResponse {
        (state.isCreated, state.bytes) = (true, [])
        let place: Headers = ["Location": "/files/1", "Upload-Limit": "max-append-size=1000000"]
        if let broken = take(request, &state) {
            var early = place
            early["Upload-Draft-Interop-Version"] = state.interop.map { "\($0.rawValue)" }
            return state.isEarly ? broken.preceded(by: 104, headers: early) : broken
        }
        state.isComplete = request.headers["Upload-Complete"] == "?1"
        if state.interop != nil { return taken(state, at: place) }
        var headers = place
        headers["Upload-Complete"] = state.isComplete ? "?1" : "?0"
        return LoopbackResponse(status: state.isComplete ? 200 : 201, headers: headers, body: .text("done"))
    }

    private static func take(_ request: LoopbackRequest, _ state: inout State) -> LoopbackResponse? {
        guard let breaks = state.breaks, state.breakCount > 0, request.body.count > breaks else {
            state.bytes += Array(request.body)
            return nil
        }
        state.breakCount -= 1
        state.bytes += Array(request.body.prefix(breaks))
        return LoopbackResponse.status(500).fault(.reset(.beforeStatus))
    }
}

extension RequestBody {
    /// A stream in pieces of an odd size, which counts how often it was opened.
    static func pieces(
        _ bytes: [UInt8],
        of size: Int,
        length: Int64? = nil,
        isReplayable: Bool = false,
        opened: Locked<Int>
    ) -> RequestBody {
        .stream(length: length, isReplayable: isReplayable) {
            opened.withLock { $0 += 1 }
            return AsyncThrowingStream<Data, any Error> { continuation in
                for start in stride(from: 0, to: bytes.count, by: size) {
                    continuation.yield(Data(bytes[start..<min(start + size, bytes.count)]))
                }
                continuation.finish()
            }
        }
    }
}

/// A suite of uploads to a host, on a clock that passes by itself.
protocol UploadSuite {
    /// A server that speaks tus.
    var host: UploadHost { get }
    var clock: ManualClock { get }
}

extension UploadSuite {
    var content: [UInt8] { UploadHost.content }
    var folder: TemporaryFolder { host.folder }
    var file: URL { folder["file.bin"] }
    var journal: URL { folder["journal"] }

    func builder(_ host: UploadHost? = nil, _ change: (Client) -> Client = { $0 }) -> UrlChainsBuilder<URL> {
        let client = Client(clock: CallClock(clock), seed: 1) { Date(timeIntervalSince1970: 946_684_800) }
        return UrlChainsBuilder<URL>(client: change(client)).route(.post, (host ?? self.host).server.url("/files"))
    }

    func run<Output>(_ chain: Chain<Void, Output>) async throws -> Output {
        try await clock.passing { try await chain.process() }
    }

    /// Uploads the file, with the journal.
    func upload(
        _ method: UploadMethod,
        to host: UploadHost? = nil,
        monitor: TransferMonitor? = nil,
        _ change: (Client) -> Client = { $0 }
    ) async throws -> Upload {
        try await run(builder(host, change).upload(file: file, using: method, journal: journal, progress: monitor))
    }

    /// What an upload fails with.
    func failure<Value>(_ work: () async throws -> Value) async -> (error: NetworkError?, code: UploadError.Code?) {
        let error = await #expect(throws: NetworkError.self) { try await work() }
        return (error, (error?.cause as? UploadError)?.code)
    }

    /// The host has everything, and the journal is gone.
    func expectComplete(_ host: UploadHost? = nil) {
        #expect((host ?? self.host).state.withLock { $0.bytes } == content)
        #expect(!FileManager.default.fileExists(atPath: journal.path))
    }
}
