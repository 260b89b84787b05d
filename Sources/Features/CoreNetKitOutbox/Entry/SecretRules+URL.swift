import CoreNetKitHTTP
import CoreNetKitSystem

extension SecretRules {
    /// The name of the first secret item with a value in the path (`;name=value`), the query or the fragment of a URL.
    func secretItem(of url: String) -> String? {
        var (isItem, isPastPath) = (false, false)
        var start = url.startIndex
        while true {
            let end = url[start...].firstIndex { (isPastPath ? "&;#" : "?;#/").contains($0) } ?? url.endIndex
            let parts = url[start..<end].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if isItem, parts.count == 2, !parts[1].isEmpty, verdict(item: parts[0]) == .secret {
                return PercentEncoding.decode(parts[0])
            }
            guard end < url.endIndex else { return nil }
            // A path segment may contain equals signs; only parts after a semicolon are items.
            isItem = url[end] != "/"
            isPastPath = isPastPath || url[end] == "?" || url[end] == "#"
            start = url.index(after: end)
        }
    }
}
