import CoreNetKitEssentials

/// The first command of a connection, and the check of its reply.
struct ValkeyHandshake: Sendable {
    let credentials: ValkeyStore.Credentials?
    /// The name in the server's list of clients.
    let name: String

    var command: RESPCommand {
        var parts: [RESPCommand.Part] = ["HELLO", "3"]
        if let credentials { parts += ["AUTH", .text(credentials.user), .text(credentials.password)] }
        // The server rejects names with spaces or line breaks.
        let visible = String(name.unicodeScalars.filter { (0x21...0x7E).contains($0.value) }.map(Character.init))
        if !visible.isEmpty { parts += ["SETNAME", .text(visible)] }
        return RESPCommand(parts)
    }

    /// - Throws: ``SharedStoreError`` if the server cannot be used; its message never repeats text that may hold secrets.
    static func check(_ reply: RESPValue) throws(SharedStoreError) {
        switch reply {
        case .map:
            if reply["mode"]?.string == "cluster" { throw SharedStoreError(.unsupported, ValkeyErrorReply.cluster) }
            if reply["proto"]?.number != 3 { throw SharedStoreError(.unsupported, ValkeyErrorReply.old) }
            if reply["role"]?.string.map({ $0 != "master" }) == true {
                throw SharedStoreError(.unreachable, "the store is a replica: name its primary")
            }
        case .error(let text) where text.hasPrefix("ERR unknown command"):
            throw SharedStoreError(.unsupported, ValkeyErrorReply.old)
        case .error(let text):
            let refusal = ValkeyErrorReply(text)
            throw SharedStoreError(refusal.code, refusal.message)
        default: throw SharedStoreError(.unreachable, "the store's first reply is not one to HELLO")
        }
    }
}
