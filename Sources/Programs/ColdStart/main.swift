import CoreNetKit
import ProgramArguments

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

let arguments = ProgramArguments(
    """
    usage: ColdStart URL

    Loads one small model, as {"id": 1, "name": "…"}, and prints its name.
    """,
    values: 1
)
guard let url = arguments.values.first else { arguments.refuse("the URL is missing") }
do {
    let hello: Hello = try await UrlChainsBuilder().route(.get, url).build().process()
    print(hello.name)
} catch {
    print(error)
    exit(1)
}
