import CoreNetKitEssentials
import CoreNetKitWire

/// What a reader made of bytes: events, and the fault that ended them.
struct FrameReading: Equatable, CustomStringConvertible {
    var events: [SocketReader.Event] = []
    var fault: UInt16?

    /// Reads bytes that come in pieces.
    init(_ pieces: [Data], _ role: SocketRole = .client, limit: Int = 1 << 20, deflate: DeflateAgreement? = nil) {
        var reader = SocketReader(role, limit: limit, deflate: deflate)
        do throws(SocketFault) {
            for piece in pieces {
                reader.feed(piece)
                while let event = try reader.next() { events.append(event) }
            }
        } catch {
            fault = error.code
        }
    }

    init(_ events: [SocketReader.Event], fault: UInt16? = nil) { (self.events, self.fault) = (events, fault) }

    var description: String { "\(events)\(fault.map { " fault \($0)" } ?? "")" }
}

extension Data {
    /// In two pieces, and byte by byte; what is long is cut in its heads only.
    var cuts: [[Data]] {
        let all = Array(self)
        let pairs = (0...Swift.min(all.count, 300)).map { [Data(all[..<$0]), Data(all[$0...])] }
        return all.count > 1000 ? pairs.suffix(20) + pairs.prefix(20) : pairs + [all.map { Data([$0]) }]
    }

    /// Frames behind each other.
    init(frames: [SocketFrame], mask: SocketMask? = nil) {
        self.init()
        for frame in frames { frame.append(to: &self, mask: mask) }
    }
}

extension SocketFrame {
    static func text(_ text: String, isFinal: Bool = true) -> SocketFrame {
        SocketFrame(.text, Data(text.utf8), isFinal: isFinal)
    }

    static func more(_ text: String, isFinal: Bool = true) -> SocketFrame {
        SocketFrame(.continuation, Data(text.utf8), isFinal: isFinal)
    }
}

extension SocketReader.Event {
    static func text(_ text: String) -> SocketReader.Event { .message(Data(text.utf8), isText: true) }
    static func binary(_ count: Int) -> SocketReader.Event { .message(Data(count: count), isText: false) }
}
