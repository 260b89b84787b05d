public import CoreNetKitChain
import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem

/// Accepts only responses of some media types, see ``PolicyHolder/accepting(_:)``.
struct AcceptedTypePolicy: ChainPolicy {
    let types: [TransportResponse.AcceptedType]

    // Outside the cache, so that a stored response is checked, too.
    var positions: [ChainPosition] { [.outside(of: .cache, "accepting")] }
    var scope: PolicyScope { .none }
    var problem: String? { types.isEmpty ? "a chain that accepts no media type has no response" : nil }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        AcceptedTypeNode(next: next, types: types)
    }
}

extension PolicyHolder {
    /// Accepts only responses of these media types, at least one: any other, such as the HTML of a login page, fails with
    /// `decodingFailed`.
    ///
    /// It checks only responses with a successful status; responses without content or without a type pass. Off by
    /// default. The last setting applies.
    public func accepting(_ types: [TransportResponse.AcceptedType]) -> Self {
        without(.outside(of: .cache, "accepting")).with(AcceptedTypePolicy(types: types))
    }

    /// The media types that responses may have; `nil` for any.
    package var acceptedTypes: [TransportResponse.AcceptedType]? {
        configuration.parts.policy(AcceptedTypePolicy.self)?.types
    }
}

/// Turns a successful response of another media type into an error that keeps it.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`. Responses without content or without a type pass. A file
/// is written beside its target and moved there when its type is known, so that a refused one replaces nothing.
struct AcceptedTypeNode: ChainStep {
    let next: Exchange
    let types: [TransportResponse.AcceptedType]

    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        guard case .file(let target) = input.delivery, target.isFileURL else {
            let response = try await next.process(input, context: context)
            if let refusal = types.refusal(of: response, to: input, node: id) { throw refusal }
            return response
        }
        return try await load(input, to: target, context)
    }

    private func load(
        _ input: TransportRequest,
        to target: URL,
        _ context: RequestContext
    ) async throws -> TransportResponse {
        let path = target.path(percentEncoded: false)
        let temporary = "\(path).\(UInt32.random(in: .min ... .max)).unchecked"
        let (files, worker) = (PosixFiles(), FileWorker("accepting"))
        do {
            var request = input
            request.delivery = .file(URL(filePath: temporary))
            var response = try await next.process(request, context: context)
            if let refusal = types.refusal(of: response, to: input, node: id) { throw refusal }
            if case .file(let written) = response.body, written.path(percentEncoded: false) == temporary {
                try await worker.run { () throws(FileError) in try files.rename(temporary, to: path) }
                response.body = .file(target)
            }
            return response
        } catch {
            await worker.run { try? files.remove(temporary) }
            guard let failed = error as? FileError else { throw error }
            let reason = "the file cannot be moved to its target: \(failed)"
            throw NetworkError(.fileFailed, reason, node: id, cause: failed)
        }
    }
}

extension [TransportResponse.AcceptedType] {
    /// The error for a successful response of another type, whose content is ended.
    package func refusal(
        of response: TransportResponse,
        to request: TransportRequest,
        node: NodeID
    ) -> NetworkError? {
        guard let type = response.headers["Content-Type"], !type.isEmpty, request.method != .head,
            200...299 ~= response.status, ![204, 205].contains(response.status), response.body.data?.isEmpty != true,
            !contains(where: { $0.matches(type) })
        else { return nil }
        let expected = map(\.description).joined(separator: " or ")
        let failed = FailedResponse(response)
        let error = NetworkError(
            .decodingFailed,
            "expected \(expected), got \(failed.contentSummary)",
            node: node,
            response: failed
        )
        if case .stream(let stream) = response.body { stream.close() }
        return error.of(attempt: response.attempt)
    }
}

extension FailedResponse {
    /// Type, status and URL, without secrets: enough to find the source of unexpected content.
    var contentSummary: String {
        let type = headers["Content-Type"].map(TransportResponse.AcceptedType.essence) ?? ""
        let hint = type == "text/html" ? " (a login page?)" : ""
        let shown = type.isEmpty ? "no media type" : type + hint
        return "\(shown), status \(status) from \(Redaction.url(url, by: secrets))"
    }
}

extension TransportResponse {
    /// A media type that a response may have, or a whole family of them.
    public struct AcceptedType: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
        private let type: String
        private let suffix: String?

        private init(_ type: String, suffix: String?) {
            self.type = Self.essence(of: type)
            self.suffix = suffix
        }

        /// Accepts a type, `text/csv`, all of one kind, `image/*`, or all, `*/*`; parameters such as a charset are ignored.
        public init(_ type: String) { self.init(type, suffix: nil) }

        /// Accepts a type, `text/csv`, all of one kind, `image/*`, or all, `*/*`.
        public init(stringLiteral value: String) { self.init(value) }

        /// `application/json`, and types that end in `+json` (RFC 6839, 3.1).
        public static let json = AcceptedType("application/json", suffix: "+json")
        /// `application/xml`, `text/xml`, and types that end in `+xml`.
        public static let xml = AcceptedType("application/xml", suffix: "+xml")
        /// Any text.
        public static let text = AcceptedType("text/*")

        /// The type in lower case.
        public var description: String { type }

        func matches(_ contentType: String) -> Bool {
            let essence = Self.essence(of: contentType)
            if type == "*/*" { return true }
            if let suffix, essence.hasSuffix(suffix) { return true }
            if type.hasSuffix("/*") { return essence.hasPrefix(type.dropLast()) }
            return essence == type
        }

        /// Type and subtype of a `Content-Type`, in lower case and without parameters, fit for a message.
        static func essence(of contentType: String) -> String {
            var scanner = FieldScanner(contentType)
            let essence = scanner.text(upTo: ";,").filter { $0.isASCII && !$0.isWhitespace }
            return essence.prefix(100).lowercased()
        }
    }
}
