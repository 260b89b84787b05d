/// The checkout that these tests were built from.
public enum Repository {
    /// Its folder: this file stands four levels below.
    public static let root = (1...4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    /// A file of it, by its path in the checkout.
    public static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
