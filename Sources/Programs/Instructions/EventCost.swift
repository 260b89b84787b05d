import CoreNetKit
import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import Dispatch

/// The cost of recording a call of twenty events.
///
/// No network, one thread, a blocked sink: only the path of the call is counted. With `frozen` the making of the
/// record is counted, too.
struct EventCost {
    private struct Stuck: CallSink {
        let gate: DispatchSemaphore
        func write(_ record: CallRecord) { gate.wait() }
    }

    private let listens: Bool
    private let freezes: Bool
    private let request: TransportRequest
    private let refused: TransportResponse
    private let response: TransportResponse
    private let silent: RequestContext
    private let feed = CallFeed(to: Stuck(gate: DispatchSemaphore(value: 0)), limit: 1)

    /// The kinds are `silent`, `noted` and `frozen`; others are measured over the network.
    init?(_ kind: String, url: URL) {
        guard ["silent", "noted", "frozen"].contains(kind) else { return nil }
        (listens, freezes) = (kind != "silent", kind == "frozen")
        let headers: Headers = ["Accept": "application/json", "Authorization": "Bearer token", "X-Page": "7"]
        request = TransportRequest(url: url, headers: headers)
        let body = ResponseBody.bytes(Data(repeating: 32, count: 190))
        refused = TransportResponse(status: 503, body: body, url: url, source: ResponseHead(httpVersion: nil))
        response = TransportResponse(status: 200, body: body, url: url, source: ResponseHead(httpVersion: nil))
        silent = RequestContext()
        // The first record blocks the sink, the second one fills its queue: all others are dropped.
        for _ in 0..<2 { if listens { call(feeds: [feed]) } }
    }

    func run(_ count: Int) {
        if listens {
            for _ in 0..<count { call(feeds: [feed]) }
        } else {
            for _ in 0..<count { notes(silent, silent) }
        }
    }

    @inline(never)
    private func call(feeds: [CallFeed]) {
        let start = Date(timeIntervalSinceReferenceDate: 0)
        let options = CallRecording.Options(feeds: feeds)
        let context = RequestContext(deadline: nil, clock: .continuous) { call in
            CallRecording(options, call: call, clock: .continuous, date: start)
        }
        var second = context.nested
        second.attempt = 2
        notes(context, second)
        second.recording?.finish(.completed)
        if freezes { _ = second.recording?.frozen() }
    }

    @inline(never)
    private func notes(_ context: RequestContext, _ second: RequestContext) {
        context.note(.requestBuilt(method: request.method, url: request.url.absoluteString, headers: request.headers))
        wait(.init(.concurrency, ahead: 2), context)
        attempt(context, refused)
        context.note(.retryDecided(.init(true, after: .unacceptableStatus, delay: .milliseconds(50))))
        wait(.init(.backoff, planned: .milliseconds(50)), context)
        attempt(second, response)
        second.note(.decoded(Int.self, bytes: 190))
    }

    private func attempt(_ context: RequestContext, _ response: TransportResponse) {
        context.note(.attemptStarted)
        let place = context.beginExchange(request)
        _ = context.receive(response, at: place)
        context.note(.attemptEnded(.init(status: response.status)))
    }

    private func wait(_ wait: @autoclosure () -> CallEvent.Wait, _ context: RequestContext) {
        context.note(.waitStarted(wait()))
        context.note(.waitEnded(wait().kind, .done))
    }
}
