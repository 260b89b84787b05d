import CoreNetKitEndpoints
import TestSupport

let endpointRows = [
    SettingRow([
        "Endpoints.Member.init(_:weight:allowsHTTP:zone:)", "Endpoints.Member.weight",
        "Endpoints.Strategy.ordered(sticky:)",
    ]) { extreme in
        var second = Endpoints.Member("https://b.test")
        second.weight = extreme.int(2)
        let members = [Endpoints.Member("https://a.test", weight: extreme.int(1)), second]
        let sticky = extreme.duration(.seconds(60))
        for strategy in [.ordered(sticky: sticky), .roundRobin, .leastLoaded] as [Endpoints.Strategy] {
            let api = Endpoints("https://example.com", members, choosing: strategy)
            for _ in 0..<4 { try? await call(client(.status(503)).endpoints(api)) }
        }
    }
]
