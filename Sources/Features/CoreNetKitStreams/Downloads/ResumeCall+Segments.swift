import CoreNetKit
import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Loads a file by several concurrent requests, into one part with one sidecar.
extension ResumeCall {
    enum Interruption: Error {
        /// The content is another one than before.
        case changed
        /// A response that is not the download's business.
        case passed(TransportResponse)
    }

    /// Loads the missing ranges; returns the last response, and how many bytes were there before: `nil` if the server has no
    /// usable ranges, and one request must load, with this response if there is one.
    func loadInSegments() async throws -> (TransportResponse?, held: Int?) {
        let known = part.withLock { policy.plan(of: $0, for: input) }
        let validator = part.withLock { $0.sidecar?.validator }
        var last: TransportResponse
        if let known, let validator {
            // The first missing bytes, or the very last byte, show whether the server still has the same content.
            let range = known.open.first.map { known.segments[$0].rest.prefix(SegmentPlan.least) }
            let asked = range ?? known.total - 1..<known.total
            last = try await requestRange(asked, validator, context)
            try check(last, from: asked.lowerBound, of: known.total, validator)
            try await begin(known, last, validator)
            if let first = known.open.first { try await fill(first, from: last) }
        } else {
            last = try await requestRange(0..<SegmentPlan.least, nil, context)
            guard last.status == 206,
                let range = ContentRange(last.headers), range.positions.lowerBound == 0,
                let total = range.total.flatMap(Int.init(exactly:)), let validator = DownloadValidator(last.headers)
            else { return (last.status == 206 || last.status == 416 ? nil : last, nil) }
            try policy.check(last, to: input)
            try await begin(SegmentPlan(total: total), last, validator)
            try await fill(0, from: last)
        }
        var plan = part.withLock { $0.sidecar?.plan } ?? SegmentPlan(total: 0)
        plan.split(into: policy.segments)
        guard let validator = part.withLock({ $0.sidecar?.validator }) else { return (nil, nil) }
        try await begin(plan, last, validator)
        last = try await fetchAll(plan, validator) ?? last
        return (last, known?.done ?? 0)
    }

    /// Loads all segments concurrently; the first failure cancels the others.
    private func fetchAll(_ plan: SegmentPlan, _ validator: DownloadValidator) async throws -> TransportResponse? {
        try await withThrowingTaskGroup(of: TransportResponse?.self) { group in
            for index in plan.open { group.addTask { try await fetch(index, of: plan.total, validator) } }
            var last: TransportResponse?
            for try await response in group { last = response ?? last }
            return last
        }
    }

    private func fetch(_ index: Int, of total: Int, _ validator: DownloadValidator) async throws -> TransportResponse? {
        var last: TransportResponse?
        while let rest = part.withLock({ $0.sidecar?.plan?.segments[index].rest }), !rest.isEmpty {
            let response = try await requestRange(rest, validator, context.nested)
            try check(response, from: rest.lowerBound, of: total, validator)
            // A server may send less than requested, but not nothing.
            guard try await fill(index, from: response) > 0 else {
                throw Self.failure(DownloadError(.sizeMismatch, "no byte from \(rest.lowerBound) on"), response)
            }
            last = response
        }
        return last
    }

    private func requestRange(
        _ range: Range<Int>,
        _ validator: DownloadValidator?,
        _ context: RequestContext
    ) async throws -> TransportResponse {
        var request = policy.request(input, for: HeldContent(), unless: nil)
        request.headers["Range"] = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
        if let validator { request.headers["If-Range"] = validator.field }
        return try await next.process(request, context: context)
    }

    /// Checks that a response continues the same content at the offset.
    private func check(
        _ response: TransportResponse,
        from offset: Int,
        of total: Int,
        _ validator: DownloadValidator
    ) throws {
        switch response.status {
        case 206: break
        case 200, 412, 416: throw Interruption.changed
        default: throw Interruption.passed(response)
        }
        try policy.check(response, to: input)
        guard let range = ContentRange(response.headers), range.positions.lowerBound == offset,
            range.total.map({ $0 == total }) ?? true, validator.differs(from: response.headers) != true
        else { throw Interruption.changed }
    }

    private func begin(
        _ plan: SegmentPlan,
        _ response: TransportResponse,
        _ validator: DownloadValidator
    ) async throws {
        let (url, place) = (Redaction.url(response.url, by: response.secrets), place)
        try await change { part throws(FileError) in
            try part.begin(plan, url: url, place: place, validator: validator)
        }
    }

    /// Writes the content of a response into a segment, not more than is missing there; returns how many bytes.
    @discardableResult
    private func fill(_ index: Int, from response: TransportResponse) async throws -> Int {
        var count = 0
        for try await chunk in ResponseStream(response: response) {
            count += chunk.count
            let rest = part.withLock { $0.sidecar?.plan?.segments[index].rest.count } ?? 0
            guard chunk.count <= rest else {
                throw Self.failure(DownloadError(.sizeMismatch, "more bytes than were asked for"), response)
            }
            try await change { part throws(FileError) in try part.write(chunk, in: index) }
            let plan = part.withLock { $0.sidecar?.plan }
            policy.report(received: plan?.done ?? 0, of: plan?.total)
        }
        return count
    }
}
