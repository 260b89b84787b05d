public import CoreNetKitChain
public import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem

/// A page of a running program: calls appear while they run, and as soon as they have ended, by server-sent events.
///
/// Calls that began before the page was created appear only at their end.
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
    /// How often calls that run are looked at.
    private static let period = Duration.seconds(1)

    /// Creates a page of a recorder's calls, within its limits; requests for events wait by the clock.
    public init(_ recorder: CallRecorder, title: String = "Calls", clock: CallClock = .continuous) {
        (self.recorder, self.title, self.clock) = (recorder, title, clock)
        recorder.watch()
        path = "/" + Hex.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) }) + "/"
    }

    /// The response to a request; a request for events waits up to 15 seconds for the next call, one second while calls run.
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
        let (records, written, running) = recorder.records(after: 0)
        var page = CallPage(records, title: title)
        (page.running, page.sequel) = (running, written)
        return response(200, "text/html", page.html)
    }

    private func events(after count: Int) async -> Response {
        let limit = clock.now + Self.longestPoll
        var (records, written, running) = ([CallRecord](), 0, [CallRecord]())
        repeat {
            await recorder.waitForRecords(after: count, until: min(clock.now + Self.period, limit), on: clock)
            (records, written, running) = recorder.records(after: count)
        } while written <= count && running.isEmpty && clock.now < limit && !Task.isCancelled
        // The reader reconnects by itself, with the id of the last event.
        var text = "retry: 200\n\n"
        if !records.isEmpty || !running.isEmpty {
            text += "id: \(written)\ndata: \(PageData.text(of: records, running: running))\n\n"
        }
        return response(200, "text/event-stream", text)
    }

    private func response(_ status: Int, _ type: String, _ text: String) -> Response {
        let headers: Headers = [
            "Content-Type": "\(type); charset=utf-8", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        ]
        return Response(status: status, headers: headers, content: Data(text.utf8))
    }
}
