import CoreNetKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// One request, decoded, by the default chain: what a small command-line program pays. Timed by Benchmarks.

struct Hello: Decodable, Sendable {
    let id: Int
    let name: String
}

do {
    let hello: Hello = try await UrlChainsBuilder().route(.get, CommandLine.arguments.last ?? "").build().process()
    print(hello.name)
} catch {
    print(error)
    exit(1)
}
