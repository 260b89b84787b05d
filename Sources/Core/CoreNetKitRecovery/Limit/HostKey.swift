import CoreNetKitEssentials
import CoreNetKitChain
import CoreNetKitHTTP

/// Host and port of a URL.
struct HostKey: Hashable, Sendable {
    /// The key that is used if hosts are not distinguished.
    static let any = HostKey(name: "", port: 0)

    let name: String
    let port: Int

    // The name suffices for the hash: hosts with several ports are rare.
    func hash(into hasher: inout Hasher) { hasher.combine(name) }

    private init(name: String, port: Int) {
        self.name = name
        self.port = port
    }

    init(_ url: URL) {
        let origin = Origin(url)
        self.init(name: origin.host, port: origin.port)
    }
}
