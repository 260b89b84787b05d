import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitLoopback

/// Parses the request content of the mock servers' clients.
enum Form {
    private struct Scalar: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if value.decodeNil() {
                text = ""
            } else if let bool = try? value.decode(Bool.self) {
                text = bool ? "true" : "false"
            } else if let whole = try? value.decode(Int.self) {
                text = String(whole)
            } else if let number = try? value.decode(Double.self) {
                text = String(number)
            } else {
                text = try value.decode(String.self)
            }
        }
    }

    /// The values of a form by name; the last of several values counts.
    static func parse(_ text: String) -> [String: String] {
        let query = text.split(separator: "+", omittingEmptySubsequences: false).joined(separator: "%20")
        guard let items = URLComponents(string: "/?" + query)?.queryItems else { return [:] }
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { _, last in last }
    }

    /// The tags of a JSON object with scalar values; `null` becomes the empty text.
    static func tags(_ text: String) -> [String: String]? {
        (try? JSONDecoder().decode([String: Scalar].self, from: Data(text.utf8)))?.mapValues(\.text)
    }

    static func withStatusAsText(_ text: String) -> String {
        text.split(separator: #""status":1"#, omittingEmptySubsequences: false).joined(separator: #""status":"1""#)
    }
}

extension LoopbackResponse {
    /// The page of a captive portal.
    static var logInPage: LoopbackResponse {
        LoopbackResponse(headers: ["Content-Type": "text/html"], body: .text("<html><body>Log in</body></html>"))
    }

    /// Resets the connection instead of responding.
    var lost: LoopbackResponse { fault(.reset(.beforeStatus)) }

    /// The status that the client gets, 0 for none.
    var statusSent: Int { faults.isEmpty ? status : 0 }
}
