import CoreNetKit
import CoreNetKitSystem

// The two files by which a domain proves that its links belong to the app.
extension DeepLinkParser {
    /// Creates the file `/.well-known/apple-app-site-association` of the app's hosts.
    ///
    /// It lists the pages that open from universal links, the most specific first, because the system uses the first matching
    /// component. A path parameter is `?*`: at least one character.
    ///
    /// - Parameter appIDs: Prefix and bundle id of each app, such as `ABCDE12345.com.example.app`.
    /// - Returns: The content of the file; serve it as `application/json`, without redirects.
    /// - Throws: ``DeepLinkError`` with code `badAssociation` if an id is invalid, or the file would be too large.
    /// - SeeAlso: [Supporting associated domains](https://developer.apple.com/documentation/xcode/supporting-associated-domains)
    public func appleAppSiteAssociation(appIDs: [String]) throws(DeepLinkError) -> String {
        guard !appIDs.isEmpty, appIDs.allSatisfy(Self.isAppID) else {
            throw DeepLinkError(.badAssociation, "an app id is a prefix of ten letters and digits, a dot, a bundle id")
        }
        let details: Json = ["appIDs": Json(appIDs.map { Json($0) }), "components": components]
        let text = Self.text(["applinks": ["details": [details]]])
        // The system ignores a larger file.
        guard text.utf8.count <= 128 * 1024 else { throw DeepLinkError(.badAssociation, "the file is over 128 KiB") }
        return text
    }

    /// Creates the file `/.well-known/assetlinks.json` of the app's hosts.
    ///
    /// It lists the pages as dynamic rules, with which Android 15 and later narrow the filters of the manifest.
    ///
    /// - Parameters:
    ///   - package: The package of the app, such as `com.example.app`.
    ///   - fingerprints: The SHA-256 fingerprints of the app's signing certificates, as hex with or without colons.
    /// - Returns: The content of the file; serve it as `application/json`, without redirects.
    /// - Throws: ``DeepLinkError`` with code `badAssociation` if the package or a fingerprint is invalid.
    /// - SeeAlso: [Configure website associations](https://developer.android.com/training/app-links/configure-assetlinks)
    public func assetLinks(package: String, fingerprints: [String]) throws(DeepLinkError) -> String {
        var printed: [Json] = []
        for fingerprint in fingerprints {
            guard let bytes = Hex.decode(fingerprint.split(separator: ":").joined()), bytes.count == 32 else {
                throw DeepLinkError(.badAssociation, "a SHA-256 fingerprint has 32 bytes")
            }
            printed.append(Json(bytes.map { Hex.encode([$0]).uppercased() }.joined(separator: ":")))
        }
        guard !printed.isEmpty, Self.isIdentifier(package, allowing: "_") else {
            throw DeepLinkError(.badAssociation, "an Android app is named by a package and a fingerprint")
        }
        let relation = "delegate_permission/common.handle_all_urls"
        let target: Json = [
            "namespace": "android_app", "package_name": Json(package), "sha256_cert_fingerprints": Json(printed),
        ]
        let rules: [String: Json] = [relation: ["dynamic_app_link_components": components]]
        return Self.text([["relation": [Json(relation)], "target": target, "relation_extensions": Json(rules)]])
    }

    private var components: Json {
        Json(routes.filter { $0.sourceKinds.contains(.universalLink) }.map { Self.component($0.pattern) })
    }

    private static func component(_ pattern: DeepLinkPattern) -> Json {
        let path = pattern.segments.map { segment in
            if case .literal(let text) = segment { "/" + LinkText.encode(text) } else { "/?*" }
        }
        var component: Json = ["/": Json(path.isEmpty ? "/" : path.joined())]
        var items: [String: Json] = [:]
        for parameter in pattern.query where parameter.isRequired { items[parameter.name] = "?*" }
        if !items.isEmpty { component["?"] = Json(items) }
        return component
    }

    private static func text(_ json: Json) -> String { (try? json.text(sortedKeys: true)) ?? "" }

    private static func isAppID(_ text: String) -> Bool {
        let parts = text.split(separator: ".", maxSplits: 1)
        return parts.count == 2 && parts[0].utf8.count == 10 && parts[0].utf8.allSatisfy(isAlphanumeric)
            && isIdentifier(String(parts[1]), allowing: "-")
    }

    /// Whether the text is a reverse-DNS name.
    private static func isIdentifier(_ text: String, allowing mark: Unicode.Scalar) -> Bool {
        return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: mark) }
        }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        PercentEncoding.Table.component.keeps(byte) && !"-._~".utf8.contains(byte)
    }
}
