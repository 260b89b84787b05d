package import CoreNetKitChain
package import CoreNetKitEssentials
package import CoreNetKitHTTP

/// Leads an upload from request to request: no tasks, no clock, no connection, no file.
package struct UploadStepper: Sendable {
    private let kind: UploadMethod.Kind
    private let method: HTTPMethod
    /// `nil` until the end of the content is known.
    private var size: Int?
    /// Whether a tus server does not know the size yet: it is sent once.
    private var mustSendSize = false
    private var chunk: Int?
    /// The purpose of the next request; `nil` when the upload is complete.
    private var phase: UploadStep.Purpose?
    private var creations = 0
    private var rounds = 0
    private var farthest = -1
    /// The upload URL, known from the first response on.
    package private(set) var location: URL?
    package private(set) var offset = 0

    /// `size` is `nil` if it is not known yet, see ``learn(_:)``; `creation` is the method of the creating request.
    package init(_ method: UploadMethod, size: Int?, creation: HTTPMethod = .post, location: URL? = nil) {
        (kind, self.size, self.location) = (method.kind, size, location)
        chunk = method.chunk ?? (size == nil ? UploadContent.window : nil)
        self.method = creation
        phase = location == nil ? .create : .queryOffset
    }

    package var isDone: Bool { phase == nil }

    /// The bytes to read before the next request; `nil` if the size is known, or the request carries no bytes.
    package var unread: Range<Int>? {
        guard size == nil, phase == .create || phase == .append else { return nil }
        return offset..<offset + (chunk ?? UploadContent.window)
    }

    /// Sets the size of content of unknown length, once its end was reached.
    package mutating func learn(_ size: Int) throws(UploadError) {
        guard offset <= size else {
            throw UploadError(.unusableResponse, "the server has \(offset) bytes of \(size)")
        }
        self.size = size
    }

    /// The next request; `nil` when the upload is complete.
    package var step: UploadStep? {
        switch phase {
        case nil, .terminate: nil
        case .create: creation
        case .queryOffset:
            UploadStep(purpose: .queryOffset, method: .head, url: location, headers: kind.version, body: 0..<0)
        case .append: append
        }
    }

    /// The exchange broke, or the server had a temporary failure: the next request asks for the offset.
    ///
    /// `head` has the fields of a success whose content broke; `base` is the URL that locations are relative to.
    package mutating func exchangeFailed(
        _ interim: [InterimResponse],
        _ head: Headers? = nil,
        base: URL?
    ) throws(UploadError) {
        take(interim, base: base)
        // A creation without a size is repeated.
        if phase == .create, size != nil, let head, let place = Self.location(head, base) { location = place }
        phase = location == nil ? .create : .queryOffset
        if offset > farthest { (farthest, rounds) = (offset, 0) } else { rounds += 1 }
        guard rounds <= 5 else {
            throw UploadError(.stuck, "\(rounds) tries at byte \(offset)\(size.map { " of \($0)" } ?? "")")
        }
    }

    package mutating func accept(_ reply: UploadReply, to step: UploadStep) throws(UploadError) {
        take(reply.interim, base: reply.response.url)
        // Only an explicit `Upload-Complete` ends an upload of the draft, whatever the status.
        if !isTus, step.purpose != .queryOffset, reply.response.headers["Upload-Complete"] == "?1" {
            return phase = nil
        }
        switch reply.response.status {
        case 500...599, 423: try exchangeFailed([], base: nil)
        case _ where TransientStatus.isTransient(reply.response.status): try exchangeFailed([], base: nil)
        case 404 where step.purpose != .create, 410 where step.purpose != .create: try forget()
        case 409 where step.purpose == .append: try retake(reply)
        // The bytes were damaged on the way, and the server has kept none of them.
        case 460 where isTus && step.purpose == .append: try exchangeFailed([], base: nil)
        case 413 where step.purpose == .append && step.body.count > 1 << 16:
            chunk = max(1 << 16, step.body.count / 2)
            try exchangeFailed([], base: nil)
        case 200...299:
            switch step.purpose {
            case .create: try created(reply, step)
            case .queryOffset: try reported(reply)
            case .append: try appended(reply, step)
            case .terminate: phase = nil
            }
        default: throw UploadError(.refused, "status \(reply.response.status)")
        }
    }
}

// MARK: - Requests

extension UploadStepper {
    private var isTus: Bool { interop == nil }

    /// The version of the draft; `nil` for tus.
    private var interop: UploadMethod.Interop? { if case .draft(_, let interop) = kind { interop } else { nil } }

    private var creation: UploadStep {
        var headers = kind.version
        if let size { headers["Upload-Length"] = "\(size)" } else if isTus { headers["Upload-Defer-Length"] = "1" }
        var body = 0..<0
        switch kind {
        case .tus(let metadata):
            let pairs = metadata.sorted { $0.key < $1.key }.map { name, value in
                value.isEmpty ? name : "\(name) \(Data(value.utf8).base64EncodedString())"
            }
            if !pairs.isEmpty { headers["Upload-Metadata"] = pairs.joined(separator: ",") }
        case .draft(let isCareful, _):
            if !isCareful, let size, chunk.map({ $0 >= size }) ?? true { body = 0..<size }
            headers["Upload-Complete"] = body.count == size ? "?1" : "?0"
        }
        return UploadStep(purpose: .create, method: method, url: nil, headers: headers, body: body)
    }

    private var append: UploadStep {
        let end = min(size ?? .max, chunk.map { offset + $0 } ?? .max)
        var headers = kind.version
        if mustSendSize, let size { headers["Upload-Length"] = "\(size)" }
        headers["Upload-Offset"] = "\(offset)"
        headers["Content-Type"] = isTus ? "application/offset+octet-stream" : "application/partial-upload"
        if !isTus { headers["Upload-Complete"] = end == size ? "?1" : "?0" }
        return UploadStep(purpose: .append, method: .patch, url: location, headers: headers, body: offset..<end)
    }
}

// MARK: - Responses

extension UploadStepper {
    private mutating func take(_ interim: [InterimResponse], base: URL?) {
        guard let interop else { return }
        for response in interim where response.status == 104 {
            // A response of another version does not offer to resume this upload.
            let version = response.headers["Upload-Draft-Interop-Version"]
            guard version == nil || version == "\(interop.rawValue)" else { continue }
            if let place = Self.location(response.headers, base) { location = place }
            limit(response.headers)
        }
    }

    private mutating func limit(_ headers: Headers) {
        for member in (headers["Upload-Limit"] ?? "").split(separator: ",") {
            let pair = member.split(separator: "=").map { $0.filter { $0 != " " } }
            guard pair.count == 2, pair[0] == "max-append-size",
                let most = FieldScanner.length(pair[1]).flatMap(Int.init(exactly:)),
                most > 0
            else { continue }
            chunk = min(chunk ?? most, most)
        }
    }

    private mutating func created(_ reply: UploadReply, _ step: UploadStep) throws(UploadError) {
        if !isTus { limit(reply.response.headers) }
        // Everything was sent, and the response does not mention resumption: it is the final one.
        if !isTus, step.body.count == size, size != 0 || reply.response.headers["Location"] == nil,
            !isShort(reply, of: step)
        {
            return phase = nil
        }
        guard let place = Self.location(reply.response.headers, reply.response.url) else {
            throw UploadError(.unusableResponse, "the created upload has no Location")
        }
        (location, mustSendSize) = (place, step.headers.contains("Upload-Defer-Length"))
        take(offset: interop?.reportsOffset == true ? offset(reply) ?? 0 : 0)
    }

    /// Whether a success reports that the server has only a part of the request.
    private func isShort(_ reply: UploadReply, of step: UploadStep) -> Bool {
        guard interop?.reportsOffset == true, let offset = offset(reply) else { return false }
        return offset < step.body.upperBound
    }

    private mutating func reported(_ reply: UploadReply) throws(UploadError) {
        if !isTus, reply.response.headers["Upload-Complete"] == "?1" { return phase = nil }
        guard let offset = offset(reply) else { throw UploadError(.unusableResponse, "no valid Upload-Offset") }
        // A server reports the size as soon as it knows it: until then it must be sent again.
        if reply.response.headers.contains("Upload-Length") { mustSendSize = false }
        take(offset: offset)
    }

    private mutating func appended(_ reply: UploadReply, _ step: UploadStep) throws(UploadError) {
        if let interop {
            if step.body.upperBound == size {
                // In version 9 nothing but `Upload-Complete: ?1` ends an upload whose last bytes were appended.
                let isSilent = interop != .version9 && reply.response.headers["Upload-Complete"] == nil
                if isSilent, !isShort(reply, of: step) { return phase = nil }
            } else if !interop.reportsOffset, !reply.response.headers.contains("Upload-Offset") {
                return take(offset: step.body.upperBound)
            }
        }
        guard let offset = offset(reply) else { return try exchangeFailed([], base: nil) }
        let tellsSize = step.headers.contains("Upload-Length")
        guard offset > step.body.lowerBound || (tellsSize && step.body.isEmpty) else {
            self.offset = offset
            return try exchangeFailed([], base: nil)
        }
        if tellsSize { mustSendSize = false }
        take(offset: offset)
    }

    /// Sets the offset that the server reports; once it has all bytes and knows the size, the upload is complete.
    private mutating func take(offset: Int) {
        self.offset = offset
        phase = isTus && !mustSendSize && offset == size ? nil : .append
    }

    /// The server has more or less than assumed: its offset counts.
    private mutating func retake(_ reply: UploadReply) throws(UploadError) {
        try exchangeFailed([], base: nil)
        if let offset = offset(reply), !isTus {
            self.offset = offset
            phase = .append
        }
    }

    private mutating func forget() throws(UploadError) {
        creations += 1
        guard creations <= 1 else { throw UploadError(.lost, "the server forgets the upload") }
        (location, offset, phase) = (nil, 0, .create)
    }

    private func offset(_ reply: UploadReply) -> Int? {
        let number = reply.response.headers["Upload-Offset"].flatMap(FieldScanner.length).flatMap(Int.init(exactly:))
        return number.flatMap { $0 <= size ?? $0 ? $0 : nil }
    }

    private static func location(_ headers: Headers, _ base: URL?) -> URL? {
        guard let text = headers["Location"], !text.isEmpty else { return nil }
        return URL(string: text, relativeTo: base)?.absoluteURL
    }
}

package struct UploadStep: Sendable, Equatable {
    package enum Purpose: Sendable, Equatable { case create, queryOffset, append, terminate }

    package let purpose: Purpose
    package let method: HTTPMethod
    /// `nil` for the URL of the chain's route.
    package let url: URL?
    package var headers: Headers
    /// The bytes of the content that it carries.
    package let body: Range<Int>

    static func end(of location: URL, _ method: UploadMethod) -> UploadStep {
        UploadStep(purpose: .terminate, method: .delete, url: location, headers: method.kind.version, body: 0..<0)
    }
}

/// The response to a step, whatever its status: the output of an upload's chain.
package struct UploadReply: Sendable {
    package let response: FailedResponse
    package var interim: [InterimResponse] = []
    /// Whether the token was renewed, and the request was not sent with the new one.
    var isRenewed = false

    package init(_ response: FailedResponse, interim: [InterimResponse] = []) {
        (self.response, self.interim) = (response, interim)
    }
}
