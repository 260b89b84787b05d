public import CoreNetKitChain
public import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem

/// A page of a running program: each call appears as soon as it has ended, by server-sent events.
///
/// It opens no socket. A server of the program, its own or one for tests, calls it for responses; without such a server
/// nothing is shown. The path has 128 random bits, so that neither another user of the machine nor a page of another
/// site finds it; anyone with the address sees the recorder's records, without secrets.
///
/// ```swift
/// let page = LivePage(recorder)
/// let server = try LoopbackServer { request in
///     let response = await page.response(to: request.target, headers: request.headers)
///     return LoopbackResponse(status: response.status, headers: response.headers, body: .data(response.content))
/// }
/// print("\(server.url)\(page.path)")
/// ```
/// - SeeAlso: [Server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html)
public struct LivePage: Sendable {
    /// A response for the server to send.
    public struct Response: Sendable {
        /// The status code.
        public let status: Int
        /// The fields, without `Content-Length`.
        public let headers: Headers
        /// The content, in UTF-8.
        public let content: Data
    }

    /// The path of the page: append it to the server's address.
    public let path: String
    private let recorder: CallRecorder
    private let title: String
    private let clock: CallClock
    /// How long a request for events waits for the first one.
    private static let longestPoll = Duration.seconds(15)

    /// Creates a page of a recorder's calls.
    ///
    /// - Parameters:
    ///   - recorder: The recorder; its limits are those of the page.
    ///   - title: The heading.
    ///   - clock: The clock for a request that waits for events.
    public init(_ recorder: CallRecorder, title: String = "Calls", clock: CallClock = .continuous) {
        self.recorder = recorder
        self.title = title
        self.clock = clock
        path = "/" + Hex.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) }) + "/"
    }

    /// The response to a request; a request for events waits up to 15 seconds for the next call.
    ///
    /// - Parameters:
    ///   - target: The target of a GET, as `/path?query`.
    ///   - headers: The fields of the request; `Last-Event-ID` is the reader's position.
    /// - Returns: The page, some events, or a 404.
    public func response(to target: String, headers: Headers) async -> Response {
        if target == path { return page }
        let events = path + "calls?after="
        guard target.hasPrefix(events), let asked = Int(target.dropFirst(events.count)) else {
            let words = "There is a page of calls here; its address ends with a secret path.\n"
            return response(404, "text/plain", words)
        }
        return await self.events(after: headers["Last-Event-ID"].flatMap { Int($0) } ?? asked)
    }

    private var page: Response {
        let (records, written) = recorder.records(after: 0)
        return response(200, "text/html", CallPage(records, title: title, goesOnAfter: written).html)
    }

    private func events(after count: Int) async -> Response {
        await recorder.waitForRecords(after: count, until: clock.now + Self.longestPoll, on: clock)
        let (records, written) = recorder.records(after: count)
        // The reader reconnects by itself, with the id of the last event.
        var text = "retry: 200\n\n"
        if !records.isEmpty {
            text += "id: \(written)\ndata: \(PageData.text(of: records))\n\n"
        }
        return response(200, "text/event-stream", text)
    }

    private func response(_ status: Int, _ type: String, _ text: String) -> Response {
        Response(
            status: status,
            headers: [
                "Content-Type": "\(type); charset=utf-8", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
                "X-Content-Type-Options": "nosniff",
            ],
            content: Data(text.utf8)
        )
    }
}
