import CoreNetKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// One decoded request by the default chain: the cost of a small command-line program. Timed by Benchmarks.

struct Hello: Decodable, Sendable {
    let id: Int
    let name: String
}

guard CommandLine.arguments.count == 2, !CommandLine.arguments[1].hasPrefix("-") else {
    print("usage: ColdStart URL\n\nLoads one small model, as {\"id\": 1, \"name\": \"…\"}, and prints its name.")
    exit(CommandLine.arguments.dropFirst() == ["--help"] ? 0 : 2)
}
do {
    let hello: Hello = try await UrlChainsBuilder().route(.get, CommandLine.arguments[1]).build().process()
    print(hello.name)
} catch {
    print(error)
    exit(1)
}
