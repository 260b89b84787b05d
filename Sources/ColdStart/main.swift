import CoreNetKit

// One request, decoded, by the default chain: what a small command-line program pays. Timed by Benchmarks.

struct Hello: Decodable, Sendable {
    let id: Int
    let name: String
}

guard let url = CommandLine.arguments.dropFirst().first else {
    print("usage: ColdStart URL")
    throw CancellationError()
}
let hello: Hello = try await UrlChainsBuilder().route(.get, url).build().process()
print(hello.name)
