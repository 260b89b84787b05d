import CoreNetKitChain
import CoreNetKitEssentials
public import CoreNetKitHTTP

/// One redirect: the target of a response, and the request that follows from it.
struct Redirect {
    /// Why a redirect must not be followed.
    struct Refusal: Error {
        let message: String
    }

    let status: Int
    let location: String
    private let secrets: SecretRules

    /// The redirect of a response; `nil` if the response is not a redirect.
    init?(_ response: TransportResponse, by secrets: SecretRules) {
        guard [301, 302, 303, 307, 308].contains(response.status),
            let location = response.headers["Location"], !location.isEmpty
        else { return nil }
        status = response.status
        self.secrets = secrets
        self.location = location
    }

    /// The target without secrets, for logs and messages.
    var shown: String { Redaction.text(of: location, by: secrets) }

    /// The decision about it as an event of the call; `refusal` says why it is not followed.
    func event(for response: TransportResponse, refusal: String? = nil) -> CallEvent.Kind {
        .redirectDecided(.init(status: response.status, target: location, isFollowed: refusal == nil, reason: refusal))
    }

    /// The request of the next hop, without credentials on another origin.
    ///
    /// `credentials` are names of fields that carry credentials of this call, in addition to those that always do.
    func applied(to request: TransportRequest, credentials: [String]) throws(Refusal) -> TransportRequest {
        let target = try resolved(against: request.url, isHandshake: request.delivery == .duplex)
        var next = request
        next.url = target
        if dropsBody(request.method) {
            next.method = .get
            next.body = .empty
            // The fields about content that is not sent any more (RFC 9110, 15.4; RFC 9530, 2 and 3).
            next.headers.fields.removeAll { field in
                let name = field.name.lowercased()
                return name.hasPrefix("content-") || ["digest", "repr-digest", "last-modified"].contains(name)
            }
        } else if !request.body.isReplayable {
            throw Refusal(message: "status \(status) wants the body again, and it cannot be replayed")
        }
        if Origin(target) != Origin(request.url) {
            next.removeSecrets(by: secrets, and: credentials)
        }
        return next
    }

    /// RFC 3986, 5.2, by the platform's URL; servers write the target of a WebSocket's handshake as `ws:` or `wss:`.
    private func resolved(against base: URL, isHandshake: Bool) throws(Refusal) -> URL {
        let text = isHandshake ? SocketRoute.mapped(location) : location
        guard let url = URL(string: text, relativeTo: base)?.absoluteURL,
            let scheme = url.scheme?.lowercased(), let host = url.host(percentEncoded: true), !host.isEmpty
        else { throw Refusal(message: "'\(shown)' is not a URL to redirect to") }
        // Redirects between a socket file and the network are refused: each reaches servers that the other must not.
        if UnixSocket.isNamed(in: base.absoluteString) {
            if Origin(url) == Origin(base) { return url }
            throw Refusal(message: "'\(shown)' would leave the Unix domain socket")
        }
        if UnixSocket.isNamed(in: url.absoluteString) {
            throw Refusal(message: "'\(shown)' would enter a Unix domain socket")
        }
        guard scheme == "http" || scheme == "https" else {
            throw Refusal(message: "'\(shown)' is neither http nor https")
        }
        guard Origin(text: url.absoluteString) != nil else {
            throw Refusal(message: "'\(shown)' names no host: it is neither a name nor an address")
        }
        guard scheme == "https" || base.scheme?.lowercased() != "https" else {
            throw Refusal(message: "'\(shown)' would redirect from https to http")
        }
        // RFC 9110, 10.2.2: if the target has no fragment, that of the request applies. Not for another origin,
        // although the RFC has no exception: a fragment may be a token, and transports see it.
        guard Origin(url) == Origin(base), let fragment = base.fragment(percentEncoded: true),
            url.fragment(percentEncoded: true) == nil,
            let whole = URL(string: "\(url.absoluteString)#\(fragment)")
        else { return url }
        return whole
    }

    private func dropsBody(_ method: HTTPMethod) -> Bool {
        switch status {
        case 301, 302: method == .post
        case 303: method != .get && method != .head
        default: false
        }
    }
}

extension TransportResponse {
    /// A redirect that is about to be followed.
    public struct Redirect: Sendable {
        /// The status of the redirect: 301, 302, 303, 307 or 308.
        public let status: Int
        /// The header fields of the redirect.
        public let headers: Headers
        /// The request that was redirected.
        public let request: TransportRequest
        /// The request that would follow: method and content by RFC 9110, 15.4, without credentials on another origin.
        public let next: TransportRequest
        /// The number of the hop, from 1.
        public let number: Int

        /// How to handle a redirect.
        public enum Decision: Sendable {
            /// Follow it.
            case follow
            /// Do not follow it: the redirect is the response, which is an error like any other status outside 200...299.
            case stop
            /// Send this request instead; its fields are sent to its URL, credentials included.
            case modify(TransportRequest)
        }
    }
}
