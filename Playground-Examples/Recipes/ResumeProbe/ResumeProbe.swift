import CoreNetKit
import CoreNetKitStreams
import Foundation
import ProgramArguments

/// Talks to a server named on the command line; `.ci/check-streams` uses it with third-party servers.
///
/// `download URL FILE`, `segments COUNT URL FILE`, `upload tus|draft URL FILE JOURNAL`, `stream tus|draft URL FILE` (a file as a stream
/// of unknown length), `events URL COUNT` or `lines URL`.
@main
struct ResumeProbe {
    static func main() async {
        do { try await run() } catch {
            let cause = (error as? NetworkError)?.cause
            let excerpt = (error as? NetworkError)?.response?.excerpt() ?? ""
            print(error, (cause as? DownloadError)?.code ?? "", (cause as? UploadError)?.code ?? "", excerpt)
            exit(1)
        }
    }

    private static func run() async throws {
        let program = ProgramArguments(
            """
            usage: ResumeProbe download URL FILE | segments COUNT URL FILE | upload tus|draft URL FILE JOURNAL \
            | stream tus|draft URL FILE | events URL COUNT | lines URL
            """,
            values: 5
        )
        let arguments = program.values
        let counts = ["download": 3, "segments": 4, "upload": 5, "stream": 4, "events": 3, "lines": 2]
        guard let word = arguments.first, counts[word] == arguments.count,
            let url = URL(string: arguments[["upload", "stream", "segments"].contains(word) ? 2 : 1])
        else { program.refuse("not understood: \(arguments.joined(separator: " "))") }
        let builder = UrlChainsBuilder<URL>(client: Client().retry(.standard))
        switch arguments[0] {
        case "download":
            let file = URL(fileURLWithPath: arguments[2])
            let done = try await builder.route(.get, url).download(to: file, resume: .automatic).call()
            print("size \(done.size) reused \(done.reused)")
        case "segments":
            let (count, file) = (Int(arguments[1]) ?? 1, URL(fileURLWithPath: arguments[3]))
            let done = try await builder.route(.get, url).download(to: file, segments: count).call()
            print("size \(done.size) reused \(done.reused)")
        case "upload", "stream":
            let file = URL(fileURLWithPath: arguments[3])
            let journal = arguments.count > 4 ? URL(fileURLWithPath: arguments[4]) : nil
            let done = try await upload(file, by: arguments[1], journal, through: builder.route(.post, url))
            print("status \(done.status) reused \(done.reused)")
        case "events":
            var left = Int(arguments[2]) ?? 1
            for try await event in try await builder.route(.get, url).events().call() {
                print("\(event.id) \(event.type) \(event.model.data)")
                left -= 1
                if left == 0 { break }
            }
        default:
            let lines: Chain<Void, ElementStream<Json>> = builder.route(.get, url).lines(reading: .json)
            var count = 0
            for try await _ in try await lines.call() { count += 1 }
            print("lines \(count)")
        }
    }

    /// Without a journal the server is not told how long the file is.
    private static func upload(
        _ file: URL,
        by name: String,
        _ journal: URL?,
        through builder: UrlChainsBuilder<URL>
    ) async throws -> Upload {
        // Some servers respond to a HEAD only if the upload has both.
        let metadata = ["filename": "probe", "filetype": "application/octet-stream"]
        let method: UploadMethod = name == "tus" ? .tus(metadata: metadata) : .draft()
        if let journal { return try await builder.upload(file: file, using: method, journal: journal).call() }
        let handle = try FileHandle(forReadingFrom: file)
        let body = RequestBody.stream { AsyncThrowingStream { try handle.read(upToCount: 1 << 16) } }
        return try await builder.upload(body, using: method).call()
    }
}
