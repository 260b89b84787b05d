import CoreNetKit
import CoreNetKitCache
import CoreNetKitLoopback
import Foundation

/// One call for each thing that a picture should show.
struct ExampleCalls {
    let server: ExampleServer
    let client: Client

    func run() async {
        await get("/users/7")
        await get("/users/7")
        await get("/flaky", client.retry(RetryPolicy(backoff: .exponential(base: .milliseconds(60)))))
        await refresh()
        await get("/slow", client.hedge(after: .milliseconds(80)))
        await cached()
        await get("/old")
        await stream()
        await limited()
        await get("/broken")
        await cancelled()
        await order()
    }

    private func get(_ path: String, _ client: Client? = nil) async {
        let chain: Chain<Void, String> = UrlChainsBuilder(client: client ?? self.client)
            .route(.get, server.loopback.url(path))
            .build()
        _ = try? await chain.process()
    }

    private func refresh() async {
        let refresher = TokenRefresher(
            token: AccessToken("stale"),
            origins: .only([server.loopback.url.absoluteString])
        ) { _ in
            try await Task.sleep(for: .milliseconds(40))
            return AccessToken("fresh")
        }
        await get("/private", client.authorize(refresher))
    }

    private func cached() async {
        let caching = client.cache(ResponseCache())
        await get("/cached", caching)
        await get("/cached", caching)
    }

    private func stream() async {
        let chain: Chain<Void, ResponseStream> = UrlChainsBuilder(client: client)
            .route(.get, server.loopback.url("/stream"))
            .loadStream()
        guard let stream = try? await chain.process() else { return }
        do {
            for try await _ in stream { try await Task.sleep(for: .milliseconds(15)) }
        } catch {
            print("the stream broke: \(error)")
        }
    }

    /// Three calls, one place: two of them wait.
    private func limited() async {
        let limited = client.limit(perHost: 1)
        await withTaskGroup { group in
            for _ in 0..<3 { group.addTask { await get("/users/7", limited) } }
        }
    }

    /// A call that runs until it is cancelled.
    func endless() async { await get("/endless") }

    private func cancelled() async {
        let task = Task { await endless() }
        try? await Task.sleep(for: .milliseconds(50))
        task.cancel()
        await task.value
    }

    private func order() async {
        let chain: Chain<Json, Json> = UrlChainsBuilder(client: client)
            .set(metadata: ["Authorization": "Bearer s3cret"])
            .route(.post, server.loopback.url("/orders"))
            .build()
        _ = try? await chain.process(["item": "it's a \"pen\"", "password": "s3cret"])
    }

    /// Like an app in use: lists, users, pictures, sixteen at a time, eight on each host.
    func many(_ count: Int) async {
        let client = client.limit(perHost: 8)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                if number >= 16 { await group.next() }
                group.addTask {
                    let isPicture = number % 3 == 2
                    let url =
                        isPicture
                        ? server.images.url("/pictures/\(number % 900)") : server.loopback.url("/many/users/\(number)")
                    let chain: Chain<Void, Data> = UrlChainsBuilder(client: client)
                        .route(.get, url)
                        .template(isPicture ? "/pictures/{id}" : "/many/users/{id}")
                        .loadData()
                    _ = try? await chain.process()
                }
            }
        }
    }
}
