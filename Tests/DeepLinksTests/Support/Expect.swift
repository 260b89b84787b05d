import DeepLinks
import Testing

/// What parsing gives: a link or a reason.
enum Verdict: Equatable, Sendable {
    case opens(DeeplinkType)
    case rejected(DeepLinkError)

    init(_ parser: DeepLinkParser<DeeplinkType>, _ source: DeepLinkSource) {
        do { self = .opens(try parser.parse(source)) } catch { self = .rejected(error) }
    }
}

let tutorial = DeeplinkType.parser(hosts: ["example.com"])

extension DeeplinkType {
    static func chat(_ id: String) -> DeeplinkType { .messages(.details(id: id)) }
}
