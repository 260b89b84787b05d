import CoreNetKitChain

/// An owner's name as stored: that of its partition, so that a user of a token policy and one named by the app are the same.
enum OwnerName {
    static func stored(_ name: String) -> String { Partition(name).name }

    /// A user's name as the app knows it.
    static func shown(_ stored: String) -> String {
        guard let colon = stored.firstIndex(of: ":"), let count = Int(stored[..<colon]) else { return stored }
        let name = stored[stored.index(after: colon)...]
        return name.utf8.count == count ? String(name) : stored
    }
}

extension Partition {
    /// The owner name of the user's entries; `nil` for an anonymous user and for a name that is not stable across processes.
    var ownerName: String? { isStable && !isAnonymous ? name : nil }
}
