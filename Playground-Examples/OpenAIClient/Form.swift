import CoreNetKit
import CoreNetKitLoopback
import Foundation

/// The parts of a request's `multipart/form-data`, by name.
struct Form {
    struct Part {
        var filename: String
        var content: Data
        var text: String { String(decoding: content, as: UTF8.self) }
    }

    private var parts: [String: Part] = [:]

    init(_ request: LoopbackRequest) {
        guard let boundary = request.headers["Content-Type"]?.split(separator: "boundary=").last else { return }
        let name = boundary.trimmingCharacters(in: CharacterSet(charactersIn: "\""))
        let (delimiter, blankLine) = (Data("--\(name)".utf8), Data("\r\n\r\n".utf8))
        var rest = request.body[...]
        while let start = rest.range(of: delimiter)?.upperBound,
            let end = rest[start...].range(of: delimiter)?.lowerBound
        {
            let part = rest[start..<end]
            rest = rest[end...]
            guard let head = part.range(of: blankLine) else { continue }
            let fields = String(decoding: part[..<head.lowerBound], as: UTF8.self)
            // The line break before the next delimiter belongs to that.
            parts[Self.value("name", in: fields)] = Part(
                filename: Self.value("filename", in: fields),
                content: Data(part[head.upperBound...].dropLast(2))
            )
        }
    }

    subscript(name: String) -> Part? { parts[name] }

    private static func value(_ parameter: String, in fields: String) -> String {
        guard let start = fields.range(of: " \(parameter)=\"")?.upperBound else { return "" }
        return String(fields[start...].prefix { $0 != "\"" })
    }
}
