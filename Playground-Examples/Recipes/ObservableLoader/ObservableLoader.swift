import CoreNetKit
import CoreNetKitLoopback
import Foundation
import Observation

/// What a screen observes while it loads; a new load cancels the one before, whose response then changes nothing.
@MainActor @Observable
final class Loader<Value: Sendable> {
    enum State { case idle, loading, loaded(Value), failed(NetworkError) }

    private(set) var state = State.idle
    @ObservationIgnored private let chain: Chain<Void, Value>
    @ObservationIgnored private var call: Observer<Value>?

    init(_ chain: Chain<Void, Value>) { self.chain = chain }

    @discardableResult
    func load() -> Observer<Value> {
        call?.cancel()
        state = .loading
        let call = chain.observe()
        defer { self.call = call }
        return call.onCompleted { [weak self] value in self?.state = .loaded(value) }
            .onError { [weak self] (error: NetworkError) in self?.state = .failed(error) }
    }
}

@main
struct ObservableLoader {
    @MainActor static func main() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/titles", .json(#"["Sunset", "Harbour"]"#), .status(503))
        let loader = Loader<[String]>(UrlChainsBuilder<URL>().route(.get, server.url("/titles")).build())
        for _ in 1...2 {
            await loader.load().delivered()
            if case .loaded(let titles) = loader.state { print(titles.joined(separator: ", ")) }
            if case .failed(let error) = loader.state { print("status \(error.status ?? 0)") }
        }
    }
}
