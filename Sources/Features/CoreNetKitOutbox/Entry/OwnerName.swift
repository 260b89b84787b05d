import CoreNetKitChain

/// The name of an owner as it is stored: that of its partition, so that the users of token policies and those that an app
/// names itself are the same.
enum OwnerName {
    static func stored(_ name: String) -> String { Partition(name).name }

    /// For people: a user's name as the app knows it.
    static func shown(_ stored: String) -> String {
        guard let colon = stored.firstIndex(of: ":"), let count = Int(stored[..<colon]) else { return stored }
        let name = stored[stored.index(after: colon)...]
        return name.utf8.count == count ? String(name) : stored
    }
}

extension Partition {
    /// Whose entries these are in every process; `nil` for nobody's, and where the name means nobody tomorrow.
    var ownerName: String? { isStable && !isAnonymous ? name : nil }
}
