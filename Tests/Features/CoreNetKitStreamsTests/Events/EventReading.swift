import CoreNetKitStreams
import Foundation

extension EventParser {
    /// Reads all chunks.
    static func read(
        _ chunks: [Data],
        lastEventID: String = "",
        limits: EventLimits = .init(),
        keepsComments: Bool = false
    ) -> (reading: Reading<EventStreamItem>, parser: EventParser) {
        var parser = EventParser(lastEventID: lastEventID, limits: limits, keepsComments: keepsComments)
        var reading = Reading<EventStreamItem>()
        do throws(StreamError) {
            for chunk in chunks {
                parser.feed(chunk)
                while let item = try parser.next() { reading.elements.append(item) }
            }
        } catch {
            reading.code = "\(error.code)"
        }
        return (reading, parser)
    }

    /// The events of a text that is read in one piece.
    static func events(of text: String) -> [ServerSentEvent] {
        read([Data(text.utf8)]).reading.elements.compactMap { item in
            if case .event(let event) = item { event } else { nil }
        }
    }
}
