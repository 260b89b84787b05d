#if os(Linux)
    import TestPace

    @testable import CoreNetKitWire

    /// A rule for clients, frames of a server that keep or break it, and what may follow from them.
    struct HTTP2ClientRule: Sendable, CustomTestStringConvertible {
        /// What has happened before the frames arrive; the request has stream 1.
        enum Start {
            /// The client has sent its request, the server nothing at all.
            case silent
            /// The server has sent its settings and acknowledged the client's.
            case asked
            case askedForHead
            /// The client has sent the head of a request whose content is still to come.
            case uploading
            /// The head of the response has arrived, its content has not.
            case responding
            /// The response is complete.
            case answered
            /// The response to a request whose content is still to come is complete.
            case answeredEarly
            case resetByServer, cancelled
        }

        /// RFC 9113, 7.
        enum Code: UInt32, Sendable {
            case none, protocolError, internalError, flowControl, settingsTimeout, streamClosed, frameSize, refused,
                cancel
            case compression, connect, calm, security, needsHTTP1
        }

        enum Outcome: Hashable, Sendable {
            /// The connection responds to a ping, and its next stream to a request.
            case continues
            /// The client resets the stream, and the connection continues.
            case stream(Code)
            /// The client sends GOAWAY and is done.
            case connection(Code)
            /// Both sides are done, without an error.
            case over
            /// The session fails without GOAWAY.
            case fails
        }

        static let protocolError: [Outcome] = [.connection(.protocolError)]
        static let frameSize: [Outcome] = [.connection(.frameSize)]

        /// What the session does instead, and by whose decision.
        struct Deviation: Sendable {
            let outcome: Outcome
            let reason: String
        }

        /// Of RFC 9113, if no other is named.
        let section: String
        let title: String
        let start: Start
        /// The outcomes that the section allows.
        let allowed: [Outcome]
        /// All events of stream 1 after the start; `nil` if they do not matter.
        let events: [String]?
        let content: String?
        var deviation: Deviation?
        let frames: [UInt8]

        init(
            _ section: String,
            _ title: String,
            after start: Start = .asked,
            _ allowed: [Outcome],
            events: [String]? = nil,
            content: String? = nil,
            deviation: Deviation? = nil,
            write: (inout FrameWriter) -> Void
        ) {
            (self.section, self.title, self.start, self.allowed) = (section, title, start, allowed)
            (self.events, self.content, self.deviation) = (events, content, deviation)
            var server = FrameWriter()
            write(&server)
            frames = server.bytes
        }

        var testDescription: String { "\(section.hasPrefix("RFC") ? section : "RFC 9113, \(section)"): \(title)" }

        func begin() throws -> SessionClient {
            let client = try SessionClient()
            let rest = "/ HTTP/1.1\r\nHost: a.test\r\n\r\n"
            switch start {
            case .uploading, .answeredEarly: _ = try client.begin("PUT \(rest)", hasContent: true)
            case .askedForHead: _ = try client.begin("HEAD \(rest)")
            default: _ = try client.begin("GET \(rest)")
            }
            client.send()
            var server = FrameWriter()
            if start != .silent {
                server.settings()
                server.frame(4, 1)
            }
            switch start {
            case .responding: server.headers(1, [(":status", "200")])
            case .answered, .answeredEarly: server.headers(1, [(":status", "200")], ends: true)
            case .resetByServer: server.reset(1, 8)
            default: break
            }
            client.receive(server.bytes)
            if start == .cancelled { client.session.reset(1) }
            client.send()
            client.events = []
            return client
        }

        static func outcome(of frames: [UInt8], _ client: SessionClient) throws -> Outcome {
            client.receive(frames)
            let sent = client.send()
            if let frame = sent.first(where: { $0.type == 7 }) {
                #expect(client.session.isOver)
                return .connection(code(frame.payload.dropFirst(4)))
            }
            guard client.failure == nil else { return .fails }
            guard !client.session.isOver else { return .over }
            try checkIsUsable(client)
            return sent.first { $0.type == 3 }.map { .stream(code($0.payload[...])) } ?? .continues
        }

        private static func code(_ bytes: ArraySlice<UInt8>) -> Code {
            Code(rawValue: bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }) ?? .none
        }

        private static func checkIsUsable(_ client: SessionClient) throws {
            client.receive { $0.frame(6, 0, 0, Array("are you?".utf8)) }
            let sent = client.send()
            #expect(sent.contains { $0.type == 6 && $0.flags == 1 && $0.payload == Array("are you?".utf8) })
            guard client.session.room > 0 else { return }
            let stream = try client.begin()
            client.send()
            client.exchange { $0.headers(stream, [(":status", "404")], ends: true) }
            #expect(client.events.contains("\(stream) closed 0"), "\(client.events)")
        }
    }
#endif
