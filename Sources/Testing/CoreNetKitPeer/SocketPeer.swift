public import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem
package import CoreNetKitWire

/// The server's side of a WebSocket, played by a script: the same over a mock transport and over a loopback server.
///
/// The peer responds to pings and closes of the client while the script does something else. When the script returns,
/// the peer closes with code 1000; when it throws, the connection breaks.
///
///     .socket { peer in
///         try await peer.expect(text: "subscribe")
///         peer.send(json: price)
///         peer.drop()
///     }
public final class SocketPeer: Sendable {
    package enum Output: Sendable {
        case bytes(Data)
        /// An orderly end.
        case end
        /// A broken connection.
        case reset
        /// Starts or stops reading bytes from the client.
        case setReading(Bool)
    }

    private struct State {
        var reader: SocketReader
        var deflater: MessageCodec?
        var isUnresponsive = false
        /// The client's violation of the protocol.
        var fault: SocketFault?
    }

    /// The fields of the handshake's request.
    public let headers: Headers
    /// The subprotocol selected from those that the client offers.
    public let selectedProtocol: String?
    private let state: Locked<State>
    private let hasSentClose = Locked(false)
    private let events = ReaderQueue<SocketPeerEvent>()
    private let output: @Sendable (Output) -> Void

    package init(_ opening: SocketOpening, output: @escaping @Sendable (Output) -> Void) {
        (headers, selectedProtocol, self.output) = (opening.headers, opening.selectedProtocol, output)
        let reader = SocketReader(.server, limit: 256 << 20, deflate: opening.deflate, ratio: 2000)
        state = Locked(State(reader: reader, deflater: opening.deflate?.deflater(for: .server)))
    }

    // MARK: - What the client does

    /// Waits for the client's next event: a message, a control frame, or the end.
    ///
    /// - Throws: `CancellationError`.
    public func next() async throws -> SocketPeerEvent { try await events.next() ?? .end }

    /// Waits for the next message, a close, or the end; skips pings and pongs.
    ///
    /// - Throws: `CancellationError`.
    public func message() async throws -> SocketPeerEvent {
        while true {
            switch try await next() {
            case .ping, .pong: continue
            case let event: return event
            }
        }
    }

    /// Waits for this text.
    ///
    /// - Throws: ``SocketPeerMismatch`` when the next message is another one.
    public func expect(text: String) async throws { try await expect(.text(text)) }

    /// Waits for these bytes.
    ///
    /// - Throws: ``SocketPeerMismatch`` when the next message is another one.
    public func expect(data: Data) async throws { try await expect(.data(data)) }

    /// Waits for a message in JSON that decodes to this value.
    ///
    /// - Throws: ``SocketPeerMismatch`` when the next message is another one.
    public func expect<Model: Decodable & Equatable & Sendable>(json model: Model) async throws {
        let event = try await message()
        guard case .text(let text) = event,
            let found = try? JSONDecoder().decode(Model.self, from: Data(text.utf8)), found == model
        else { throw SocketPeerMismatch(model, event) }
    }

    /// Waits for the client's close, and returns its code.
    ///
    /// - Throws: ``SocketPeerMismatch`` when something else arrives.
    @discardableResult
    public func expectClose() async throws -> UInt16 {
        let event = try await message()
        guard case .close(let code, _) = event else { throw SocketPeerMismatch("a close", event) }
        return code
    }

    private func expect(_ expected: SocketPeerEvent) async throws {
        let event = try await message()
        guard event == expected else { throw SocketPeerMismatch(expected, event) }
    }

    // MARK: - What the peer does

    /// Sends a text.
    public func send(text: String) { send(.text, Data(text.utf8)) }

    /// Sends bytes.
    public func send(data: Data) { send(.binary, data) }

    /// Sends a model as JSON with sorted keys; one that cannot be encoded breaks the connection.
    public func send(json model: some Encodable) {
        do { send(.text, try JSONEncoder.sorted.encode(model)) } catch { drop() }
    }

    /// Sends a ping.
    public func ping(_ content: Data = Data()) { write(SocketFrame(.ping, content)) }

    /// Sends a pong, solicited or not.
    public func pong(_ content: Data = Data()) { write(SocketFrame(.pong, content)) }

    /// Sends raw bytes, which need not be frames.
    public func send(bytes: Data) { output(.bytes(bytes)) }

    /// Sends a close, once; wait for the client's close with ``expectClose()``.
    public func close(_ code: UInt16 = 1000, _ reason: String = "") {
        if hasSentClose.set() { write(SocketFrame(.close, SocketCloseRules.content(code, reason))) }
    }

    /// Breaks the connection.
    public func drop() {
        output(.reset)
        events.end()
    }

    /// Ends the connection in an orderly way, without a close.
    public func end() {
        output(.end)
        events.end()
    }

    /// Stops reading from the client until ``resume()``: over a wire its sends have to wait then.
    public func pause() { output(.setReading(false)) }

    /// Resumes reading.
    public func resume() { output(.setReading(true)) }

    /// Stops responding to pings and closes.
    public func stopResponding() { state.withLock { $0.isUnresponsive = true } }

    private func send(_ opcode: SocketOpcode, _ content: Data) {
        // Under one lock, because the compressor depends on the order.
        state.withLock { state in
            let compressed = state.deflater?.compress(content)
            write(SocketFrame(opcode, compressed ?? content, isCompressed: compressed != nil))
        }
    }

    private func write(_ frame: SocketFrame) { output(.bytes(frame.bytes(mask: nil))) }

    // MARK: - For the owner of the connection

    /// Processes bytes from the client; throws if it violates the protocol.
    package func take(_ bytes: Data) throws(SocketFault) {
        var found: [SocketReader.Event] = []
        let fault = state.withLock { state -> SocketFault? in
            if let fault = state.fault { return fault }
            state.reader.feed(bytes)
            do throws(SocketFault) {
                while let event = try state.reader.next() { found.append(event) }
            } catch {
                state.fault = error
            }
            return state.fault
        }
        for event in found { react(to: event) }
        guard let fault else { return }
        close(fault.code)
        end()
        throw fault
    }

    /// The client has ended the connection.
    package func disconnect() { events.end() }

    private func react(to event: SocketReader.Event) {
        let isUnresponsive = state.withLock { $0.isUnresponsive }
        switch event {
        case .message(let content, let isText):
            events.add(isText ? .text(String(decoding: content, as: UTF8.self)) : .data(content))
        case .ping(let content):
            if !isUnresponsive { pong(content) }
            events.add(.ping(content))
        case .pong(let content): events.add(.pong(content))
        case .close(let code, let reason):
            // The echo first: a script that returns on the event also closes.
            if !isUnresponsive { close(code) }
            events.add(.close(code: code, reason: reason))
            if !isUnresponsive { end() }
        }
    }
}

extension JSONEncoder {
    /// For contents of scripts: keys in order, slashes as they are.
    package static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

/// An event from the client of a scripted WebSocket.
public enum SocketPeerEvent: Sendable, Hashable {
    /// A text.
    case text(String)
    /// Bytes.
    case data(Data)
    /// A ping; the pong was already sent, unless the peer is mute.
    case ping(Data)
    /// A pong.
    case pong(Data)
    /// A close; the response was already sent, unless the peer is mute. The code is 1005 if the client sent none.
    case close(code: UInt16, reason: String)
    /// The end of the connection.
    case end
}

/// Why the script of a WebSocket cannot continue: the client did something else.
public struct SocketPeerMismatch: Error, Sendable, CustomStringConvertible {
    /// The expected and the received event.
    public let description: String

    package init(description: String) { self.description = description }

    fileprivate init(_ expected: some Any, _ found: SocketPeerEvent) {
        description = "expected \(expected), but got \(found)"
    }
}
