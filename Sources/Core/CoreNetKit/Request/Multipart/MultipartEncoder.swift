import CoreNetKitEssentials
import CoreNetKitSystem

extension MultipartModel {
    /// Writes the form: as bytes if all of it is in memory, otherwise as a stream of known length that reads the files
    /// each time it is sent.
    ///
    /// By default, the `boundary` is random and does not occur in any part in memory. Files are not searched for it: it
    /// has 128 random bits.
    package func encoded(
        boundary: String? = nil
    ) throws(RequestEncodingError) -> (contentType: String, body: RequestBody) {
        let boundary = try boundary.map(checked) ?? randomBoundary()
        var encoder = MultipartEncoder(boundary: boundary)
        for part in parts {
            do { try encoder.append(part) } catch { throw error.under(part.name) }
        }
        return ("multipart/form-data; boundary=\(boundary)", encoder.finish())
    }

    private func checked(_ boundary: String) throws(RequestEncodingError) -> String {
        let isValid = boundary.utf8.allSatisfy { PercentEncoding.Table.component.keeps($0) && $0 != UInt8(ascii: "~") }
        guard isValid, (1...70).contains(boundary.utf8.count) else {
            throw RequestEncodingError("a multipart boundary has 1 to 70 letters, digits, or -._")
        }
        guard !contains(boundary) else { throw RequestEncodingError("the multipart boundary is in one of the parts") }
        return boundary
    }

    private func randomBoundary() -> String {
        var boundary: String
        repeat {
            boundary = "CoreNetKit-" + Hex.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        } while contains(boundary)
        return boundary
    }

    private func contains(_ boundary: String) -> Bool {
        let delimiter = Array("--\(boundary)".utf8)
        return parts.contains { part in
            switch part.content {
            case .field(let data, _), .file(.data(let data, _, _)): data.contains(run: delimiter)
            case .file: false
            }
        }
    }
}

/// Writes parts one after another, joining those in memory.
private struct MultipartEncoder {
    private let boundary: String
    private var finished: [MultipartSegment] = []
    private var pending = Data()
    /// `nil` if a file's length is unknown.
    private var length: Int64? = 0

    init(boundary: String) { self.boundary = boundary }

    mutating func append(_ part: MultipartModel.Part) throws(RequestEncodingError) {
        let disposition =
            #"--\#(boundary)\#r\#nContent-Disposition: form-data; name="\#(Self.escaped(name: part.name))""#
        switch part.content {
        case .field(let data, let mimetype):
            append(disposition + (try mimetype.map(Self.contentType) ?? "") + "\r\n\r\n")
            append(data)
        case .file(let file):
            let (filename, mimetype) = file.description
            let name = #"; filename="\#(Self.escaped(filename: filename))""#
            append(disposition + name + (try Self.contentType(mimetype)) + "\r\n\r\n")
            switch file {
            case .data(let data, _, _): append(data)
            case .url(let url), .customWithUrl(let url, _, _): try append(fileAt: url, partName: part.name)
            }
        }
        append("\r\n")
    }

    mutating func finish() -> RequestBody {
        append("--\(boundary)--\r\n")
        if finished.isEmpty { return .bytes(pending) }
        let segments = finished + [.bytes(pending)]
        return .stream(length: length, isReplayable: true) { MultipartStream(segments: segments) }
    }

    private mutating func append(_ text: String) { append(Data(text.utf8)) }

    private mutating func append(_ data: Data) {
        pending.append(data)
        length? += Int64(data.count)
    }

    private mutating func append(fileAt url: URL, partName: String) throws(RequestEncodingError) {
        guard url.isFileURL else { throw RequestEncodingError("a part's URL must be that of a file") }
        let path = url.path(percentEncoded: false)
        let size = try PartFile.size(of: path)
        finished += [.bytes(pending), .file(path: path, partName: partName, length: size)]
        pending = Data()
        length = length.flatMap { length in size.map { length + $0 } }
    }

    private static func contentType(_ mimetype: String) throws(RequestEncodingError) -> String {
        guard mimetype.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
            throw RequestEncodingError("a media type has visible ASCII characters only")
        }
        return "\r\nContent-Type: \(mimetype)"
    }

    /// As browsers do (WHATWG HTML, multipart/form-data): line breaks in names become CR LF.
    private static func escaped(name: String) -> String {
        let lines = name.split(omittingEmptySubsequences: false) { $0 == "\r\n" || $0 == "\n" || $0 == "\r" }
        return escaped(filename: lines.joined(separator: "\r\n"))
    }

    private static func escaped(filename: String) -> String {
        filename.escaped(["\"": "%22", "\r": "%0D", "\n": "%0A"])
    }
}

extension MultipartFileProvider {
    fileprivate var description: (filename: String, mimetype: String) {
        switch self {
        case .data(_, let filename, let mimetype), .customWithUrl(_, let filename, let mimetype): (filename, mimetype)
        case .url(let url):
            (url.lastPathComponent, Self.mediaTypes[url.pathExtension.lowercased()] ?? "application/octet-stream")
        }
    }
}

extension Data {
    fileprivate func contains(run: [UInt8]) -> Bool {
        withUnsafeBytes { bytes in
            guard let first = run.first, bytes.count >= run.count else { return false }
            return bytes.dropLast(run.count - 1).indices.contains { index in
                bytes[index] == first && bytes[index..<index + run.count].elementsEqual(run)
            }
        }
    }
}
