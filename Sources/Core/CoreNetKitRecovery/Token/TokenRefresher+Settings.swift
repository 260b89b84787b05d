import CoreNetKitChain
import CoreNetKitHTTP

extension TokenRefresher {
    /// The settings of a refresher, apart from its closures with credentials.
    struct Settings {
        let origins: Origins
        let margin: Duration
        let timeout: Duration
        let coolDown: Duration
        let fields: @Sendable (AccessToken) -> Headers
        let refuses: @Sendable (NetworkError) -> Bool

        init(
            _ origins: Origins,
            _ margin: Duration,
            _ timeout: Duration,
            _ coolDown: Duration,
            _ fields: @escaping @Sendable (AccessToken) -> Headers,
            _ refuses: @escaping @Sendable (NetworkError) -> Bool
        ) {
            (self.origins, self.margin, self.timeout, self.coolDown) = (origins, margin, timeout, coolDown)
            (self.fields, self.refuses) = (fields, refuses)
        }

        /// The problem of the settings, on one line.
        var problem: String? {
            if margin < .zero { return "the margin of \(margin) for tokens is below zero" }
            if coolDown < .zero { return "the cool-down of \(coolDown) for tokens is below zero" }
            return timeout <= .zero ? "the timeout of \(timeout) for tokens is not above zero" : origins.problem
        }
    }
}
