import CoreNetKit
import CoreNetKitChain
import CoreNetKitHTTP
import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// XML as a format of requests and responses: an element with its text and its children.
struct XML: Sendable {
    struct Malformed: Error {
        var problem: String
    }

    var name: String
    var text = ""
    var children: [XML] = []

    init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }

    init(_ name: String, _ children: [XML]) { (self.name, self.children) = (name, children) }

    init(parsing data: Data) throws {
        let reader = Reader()
        let parser = XMLParser(data: data)
        parser.delegate = reader
        guard parser.parse(), let root = reader.root else {
            throw Malformed(problem: "no XML: \(parser.parserError.map { "\($0)" } ?? "no element")")
        }
        self = root
    }

    subscript(name: String) -> XML? { children.first { $0.name == name } }

    func all(_ name: String) -> [XML] { children.filter { $0.name == name } }

    func text(_ name: String) throws -> String {
        guard let text = self[name]?.text else { throw Malformed(problem: "no <\(name)> in <\(self.name)>") }
        return text
    }

    var source: String {
        let content = children.isEmpty ? text.escapedForXML : children.map(\.source).joined()
        return "<\(name)>\(content)</\(name)>"
    }
}

extension XML: ResponsePayload, RequestPayload {
    static var accept: String { "application/xml" }

    init(response: TransportResponse) throws {
        try self.init(parsing: response.body.data ?? Data())
        // A long operation may have sent its status before it failed.
        if let error = S3Error(self) { throw error }
    }

    func encoded(as encoding: ParametersEncoding, strategies: ParameterStrategies) throws -> EncodedPayload {
        EncodedPayload(body: .bytes(Data(source.utf8)), contentType: Self.accept)
    }
}

extension String {
    fileprivate var escapedForXML: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}

private final class Reader: NSObject, XMLParserDelegate {
    private var open: [XML] = []
    private(set) var root: XML?

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        open.append(XML(name, ""))
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        open[open.count - 1].text += text
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        let element = open.removeLast()
        if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
    }
}
