import CoreNetKit
import CoreNetKitStreams
import Foundation

// Streamed responses: each piece names its call and its index.
extension SoakCall {
    struct Row: Decodable, Sendable {
        let id: Int
        let number: Int
        let fill: String
    }

    struct Page: Decodable, Sendable {
        let items: [Row]
        let next: String?
    }

    var abandonsEarly: Bool { [.events, .lines, .pages].contains(mode) && id % 8 == 1 }

    func events(_ builder: UrlChainsBuilder<URL>) async throws -> String {
        var options = EventOptions()
        options.idle = timeouts.idle
        let chain: Chain<Void, EventStream<Row>> = prepared(builder).events(options, reading: .json)
            .until(data: "[DONE]")
            .reconnect(.never)
        return try await read(chain.process().map { $0.model })
    }

    func lines(_ builder: UrlChainsBuilder<URL>) async throws -> String {
        let options = ElementOptions(idle: timeouts.idle)
        let chain: Chain<Void, ElementStream<Row>> = prepared(builder).lines(options, reading: .json)
        return try await read(chain.process())
    }

    func pages(_ builder: UrlChainsBuilder<URL>) async throws -> String {
        let pages: Pages<Page> = prepared(builder).pages(.cursor(\.next, as: "cursor"), reading: .json)
        return try await read(pages.elements(\.items), rows: 3 * SoakShape.rows)
    }

    /// Downloads a file whose first response breaks off in the middle.
    func download(_ builder: UrlChainsBuilder<URL>) async throws -> String {
        defer {
            for name in [file.path, file.path + ".part", file.path + ".part.json"] {
                try? FileManager.default.removeItem(atPath: name)
            }
        }
        let download = prepared(builder).download(to: file, resume: .automatic)
        for isLast in [false, true] {
            do {
                let done = try await download.process()
                let isWhole = try Data(contentsOf: done.file) == SoakShape.file.content(id: id, size: size)
                return isWhole ? "whole" : "wrong content"
            } catch {
                if FileManager.default.fileExists(atPath: file.path) { return "a file that looks complete" }
                // The retry, or the next call, loads the rest.
                guard !isLast, (error as? NetworkError)?.code == .connectionLost else { throw error }
            }
        }
        return "no end"
    }

    func prepared(_ builder: UrlChainsBuilder<URL>) -> UrlChainsBuilder<URL> {
        builder.route(.get, url).set(headers: fields).set(timeouts: timeouts)
    }

    private func read<Rows: AsyncSequence>(_ rows: Rows, rows count: Int = SoakShape.rows) async throws -> String
    where Rows.Element == Row {
        var number = 0
        for try await row in rows {
            guard row.id == id, row.number == number, row.fill.utf8.count == size / SoakShape.rows else {
                return "wrong content"
            }
            number += 1
            if abandonsEarly, number == count / 2 { return "abandoned" }
        }
        return number == count ? "whole" : "\(number) rows"
    }
}
