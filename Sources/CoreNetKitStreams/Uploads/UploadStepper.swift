package import CoreNetKitEssentials
package import CoreNetKitHTTP

/// Leads an upload from request to request: no tasks, no clock, no connection, no file.
package struct UploadStepper: Sendable {
    private enum Phase: Sendable, Equatable { case create, ask, append, done }

    private let kind: UploadMethod.Kind
    private let method: HTTPMethod
    private let size: Int
    private var chunk: Int?
    private var phase: Phase
    private var creations = 0
    private var rounds = 0
    private var farthest = -1
    /// Where the server keeps the upload; known from the first response on.
    package private(set) var location: URL?
    package private(set) var offset = 0

    /// - Parameters:
    ///   - method: The protocol.
    ///   - size: The size of the content.
    ///   - creation: The method of the request that creates the upload.
    ///   - location: Where an upload is that was begun earlier.
    package init(_ method: UploadMethod, size: Int, creation: HTTPMethod = .post, location: URL? = nil) {
        (kind, chunk, self.size, self.location) = (method.kind, method.chunk, size, location)
        self.method = creation
        phase = location == nil ? .create : .ask
    }

    package var isDone: Bool { phase == .done }

    /// The next request; `nil` when all is done.
    package var step: UploadStep? {
        switch phase {
        case .done: nil
        case .create: creation
        case .ask: UploadStep(purpose: .ask, method: .head, url: location, headers: version, body: 0..<0)
        case .append: append
        }
    }

    /// The exchange broke, or the server could not help itself: what arrived is asked for.
    ///
    /// - Parameters:
    ///   - interim: Informational responses that came before.
    ///   - base: What their locations are relative to.
    /// - Throws: ``UploadError`` with code `stuck` when nothing more arrives, try after try.
    package mutating func broke(_ interim: [InterimResponse], base: URL?) throws(UploadError) {
        take(interim, base: base)
        phase = location == nil ? .create : .ask
        if offset > farthest { (farthest, rounds) = (offset, 0) } else { rounds += 1 }
        guard rounds <= 5 else { throw UploadError(.stuck, "\(rounds) tries at byte \(offset) of \(size)") }
    }

    /// Takes the response to a request.
    ///
    /// - Parameters:
    ///   - answer: The response.
    ///   - step: The request.
    /// - Throws: ``UploadError``.
    package mutating func accept(_ answer: UploadAnswer, to step: UploadStep) throws(UploadError) {
        take(answer.interim, base: answer.url)
        // Only what says that everything is there ends an upload of the draft, whatever its status.
        if !isTus, step.purpose != .ask, answer.headers["Upload-Complete"] == "?1" { return phase = .done }
        switch answer.status {
        case 500...599, 423: try broke([], base: nil)
        case _ where TransientStatus.mayPass(answer.status): try broke([], base: nil)
        case 404 where step.purpose != .create, 410 where step.purpose != .create: try forget()
        case 409 where step.purpose == .append: try retake(answer)
        // The bytes were damaged on their way, and the server has none of them.
        case 460 where isTus && step.purpose == .append: try broke([], base: nil)
        case 413 where step.purpose == .append && step.body.count > 1 << 16:
            chunk = max(1 << 16, step.body.count / 2)
            try broke([], base: nil)
        case 200...299:
            switch step.purpose {
            case .create: try created(answer, step)
            case .ask: try told(answer)
            case .append: try appended(answer, step)
            case .terminate: phase = .done
            }
        default: throw UploadError(.refused, "status \(answer.status)")
        }
    }
}

// MARK: - Requests

extension UploadStepper {
    private var isTus: Bool { if case .tus = kind { true } else { false } }

    private var version: Headers { Self.version(of: kind) }

    static func version(of kind: UploadMethod.Kind) -> Headers {
        switch kind {
        case .tus: ["Tus-Resumable": "1.0.0"]
        case .draft: ["Upload-Draft-Interop-Version": "8"]
        }
    }

    private var creation: UploadStep {
        var headers = version
        headers["Upload-Length"] = "\(size)"
        var body = 0..<0
        switch kind {
        case .tus(let metadata):
            let pairs = metadata.sorted { $0.key < $1.key }.map { name, value in
                value.isEmpty ? name : "\(name) \(Data(value.utf8).base64EncodedString())"
            }
            if !pairs.isEmpty { headers["Upload-Metadata"] = pairs.joined(separator: ",") }
        case .draft(let isCareful):
            if !isCareful, chunk.map({ $0 >= size }) ?? true { body = 0..<size }
            headers["Upload-Complete"] = body.count == size ? "?1" : "?0"
        }
        return UploadStep(purpose: .create, method: method, url: nil, headers: headers, body: body)
    }

    private var append: UploadStep {
        let end = chunk.map { min(size, offset + $0) } ?? size
        var headers = version
        headers["Upload-Offset"] = "\(offset)"
        headers["Content-Type"] = isTus ? "application/offset+octet-stream" : "application/partial-upload"
        if !isTus { headers["Upload-Complete"] = end == size ? "?1" : "?0" }
        return UploadStep(purpose: .append, method: .patch, url: location, headers: headers, body: offset..<end)
    }
}

// MARK: - Responses

extension UploadStepper {
    private mutating func take(_ interim: [InterimResponse], base: URL?) {
        guard !isTus else { return }
        for response in interim where response.status == 104 {
            if let place = Self.location(response.headers, base) { location = place }
            limit(response.headers)
        }
    }

    private mutating func limit(_ headers: Headers) {
        for member in (headers["Upload-Limit"] ?? "").split(separator: ",") {
            let pair = member.split(separator: "=").map { $0.filter { $0 != " " } }
            guard pair.count == 2, pair[0] == "max-append-size", let most = ContentRange.number(pair[1]), most > 0
            else { continue }
            chunk = min(chunk ?? most, most)
        }
    }

    private mutating func created(_ answer: UploadAnswer, _ step: UploadStep) throws(UploadError) {
        if !isTus { limit(answer.headers) }
        // Everything was sent, and the server has no word about resumption: this is the response.
        if !isTus, step.body.count == size, size > 0 || answer.headers["Location"] == nil { return phase = .done }
        guard let place = Self.location(answer.headers, answer.url) else {
            throw UploadError(.unusableResponse, "the created upload has no Location")
        }
        location = place
        offset = 0
        phase = size == 0 && isTus ? .done : .append
    }

    private mutating func told(_ answer: UploadAnswer) throws(UploadError) {
        if !isTus, answer.headers["Upload-Complete"] == "?1" { return phase = .done }
        guard let offset = offset(answer) else {
            throw UploadError(.unusableResponse, "no valid Upload-Offset")
        }
        self.offset = offset
        phase = offset == size && isTus ? .done : .append
    }

    private mutating func appended(_ answer: UploadAnswer, _ step: UploadStep) throws(UploadError) {
        if !isTus, step.body.upperBound == size, answer.headers["Upload-Complete"] == nil { return phase = .done }
        guard let offset = offset(answer) else { return try broke([], base: nil) }
        guard offset > step.body.lowerBound else {
            self.offset = offset
            return try broke([], base: nil)
        }
        self.offset = offset
        phase = offset == size && isTus ? .done : .append
    }

    /// The server has more or less than was believed: what it says counts.
    private mutating func retake(_ answer: UploadAnswer) throws(UploadError) {
        try broke([], base: nil)
        if let offset = offset(answer), !isTus {
            self.offset = offset
            phase = .append
        }
    }

    private mutating func forget() throws(UploadError) {
        creations += 1
        guard creations <= 1 else { throw UploadError(.lost, "the server forgets the upload") }
        (location, offset, phase) = (nil, 0, .create)
    }

    private func offset(_ answer: UploadAnswer) -> Int? {
        guard let number = answer.headers["Upload-Offset"].flatMap({ ContentRange.number($0) }), number <= size else {
            return nil
        }
        return number
    }

    private static func location(_ headers: Headers, _ base: URL?) -> URL? {
        guard let text = headers["Location"], !text.isEmpty else { return nil }
        return URL(string: text, relativeTo: base)?.absoluteURL
    }
}
