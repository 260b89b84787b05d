import CoreNetKit
import CoreNetKitStreams
import Foundation

/// Talks to a server that is named on the command line; `.ci/check-streams` uses it with servers of others.
///
/// `download URL FILE`, `upload tus|draft URL FILE JOURNAL`, `events URL COUNT` or `lines URL`.
@main
struct ResumeProbe {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2, let url = URL(string: arguments[arguments[0] == "upload" ? 2 : 1]) else {
            return print("usage: ResumeProbe download|upload|events|lines …")
        }
        let builder = UrlChainsBuilder<URL>(client: Client().retry(.standard))
        switch arguments[0] {
        case "download":
            let file = URL(fileURLWithPath: arguments[2])
            do {
                let done = try await builder.route(.get, url).download(to: file, resume: .automatic).process()
                print("size \(done.size) reused \(done.reused)")
            } catch let failure as NetworkError {
                print(failure, (failure.cause as? DownloadError)?.code ?? "")
                exit(1)
            }
        case "upload":
            let method: UploadMethod = arguments[1] == "tus" ? .tus(metadata: ["filename": "probe"]) : .draft()
            let (file, journal) = (URL(fileURLWithPath: arguments[3]), URL(fileURLWithPath: arguments[4]))
            let done = try await builder.route(.post, url).upload(file: file, using: method, journal: journal).process()
            print("status \(done.status) reused \(done.reused)")
        case "events":
            var left = Int(arguments[2]) ?? 1
            for try await event in try await builder.route(.get, url).rawEvents().process() {
                print("\(event.id) \(event.type) \(event.model.data)")
                left -= 1
                if left == 0 { break }
            }
        default:
            let lines: Chain<Void, ElementStream<Json>> = builder.route(.get, url).lines()
            var count = 0
            for try await _ in try await lines.process() { count += 1 }
            print("lines \(count)")
        }
    }
}
