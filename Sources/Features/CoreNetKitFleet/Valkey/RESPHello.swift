import CoreNetKitEssentials

extension RESPCommand {
    /// The first command of a connection; the name is that in the server's list of clients.
    static func hello(_ credentials: ValkeyStore.Credentials?, name: String) -> RESPCommand {
        var parts: [RESPCommand.Part] = ["HELLO", "3"]
        if let credentials { parts += ["AUTH", .text(credentials.user), .text(credentials.password)] }
        // The server rejects names with spaces or line breaks.
        let visible = String(name.unicodeScalars.filter { (0x21...0x7E).contains($0.value) }.map(Character.init))
        if !visible.isEmpty { parts += ["SETNAME", .text(visible)] }
        return RESPCommand(parts)
    }
}

extension RESPValue {
    /// Throws if this reply to `HELLO` says that the server cannot be used; the message never repeats text that may hold
    /// secrets.
    func checkHello() throws(SharedStoreError) {
        switch self {
        case .map:
            if self["mode"]?.string == "cluster" { throw SharedStoreError(.unsupported, SharedStoreError.cluster) }
            if self["proto"]?.number != 3 { throw SharedStoreError(.unsupported, SharedStoreError.old) }
            if self["role"]?.string.map({ $0 != "master" }) == true {
                throw SharedStoreError(.unreachable, "the store is a replica: name its primary")
            }
        case .error(let text) where text.hasPrefix("ERR unknown command"):
            throw SharedStoreError(.unsupported, SharedStoreError.old)
        case .error(let text): throw SharedStoreError(reply: text)
        default: throw SharedStoreError(.unreachable, "the store's first reply is not one to HELLO")
        }
    }
}

extension SharedStoreError {
    /// Interprets an error reply; with an unknown error code, its text becomes part of the message.
    init(reply text: String) {
        switch text.prefix(while: { $0 != " " }) {
        case "NOAUTH": self.init(.refused, "the store requires a user and a password: set credentials")
        case "WRONGPASS": self.init(.refused, "the store rejected the user or the password")
        case "NOPERM":
            self.init(
                .refused,
                "the store's user lacks rights: its ACL needs ~{cnk:* and the commands of the page Fleet"
            )
        case "MOVED", "ASK", "CROSSSLOT": self.init(.unsupported, Self.cluster)
        case "NOPROTO": self.init(.unsupported, Self.old)
        case "READONLY": self.init(.unreachable, "the store is a replica and accepts no writes")
        case "LOADING": self.init(.unreachable, "the store is loading its data")
        case "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN":
            self.init(.unreachable, "the store says that its cluster is not ready")
        case "BUSY": self.init(.unreachable, "the store is busy with a script")
        case "OOM": self.init(.refused, "the store has no memory left: give it more, or let it evict values")
        case "MISCONF": self.init(.refused, "the store cannot save its data to disk and accepts no writes")
        case "WRONGTYPE": self.init(.corrupt, "the value under this key was not written by this package")
        default:
            // Servers repeat the arguments of unknown commands, which may contain secrets.
            let said = text.firstRange(of: ", with args").map { text[..<$0.lowerBound] } ?? text[...]
            self.init(.refused, "the store said: \(said.prefix(200))")
        }
    }

    static let cluster =
        "the store is part of a cluster, which is not supported: name a standalone server, or a proxy in front of the cluster"
    static let old = "the server does not speak RESP3: Valkey, or Redis 6 or later, is needed"
}
