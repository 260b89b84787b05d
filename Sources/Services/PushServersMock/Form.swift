import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitLoopback

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
    static func parse(_ text: String) -> [String: String] { values(TransportRequest.Item.all(of: text)) }

    static func values(_ items: [TransportRequest.Item]) -> [String: String] {
        Dictionary(items.map { ($0.name, $0.value) }) { _, last in last }
    }

    /// The values of a JSON object, all of them scalars; `null` becomes the empty text.
    static func jsonScalars(_ text: String) -> [String: String]? {
        (try? JSONDecoder().decode([String: Scalar].self, from: Data(text.utf8)))?.mapValues(\.text)
    }
}

extension Array {
    mutating func popFirst() -> Element? { isEmpty ? nil : removeFirst() }
}

extension LoopbackResponse {
    /// The page of a captive portal.
    static var logInPage: LoopbackResponse {
        LoopbackResponse(headers: ["Content-Type": "text/html"], body: .text("<html><body>Log in</body></html>"))
    }

    var withConnectionReset: LoopbackResponse { fault(.reset(.beforeStatus)) }

    /// The status that the client gets, 0 for none.
    var statusSent: Int { faults.isEmpty ? status : 0 }
}
