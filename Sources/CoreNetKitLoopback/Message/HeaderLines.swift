import CoreNetKitHTTP

/// Reads field lines; a folded line (obs-fold) is joined to the one before with a space.
enum HeaderLines {
    static func parse(_ bytes: ArraySlice<UInt8>, skippingFirst: Bool) -> Headers {
        var headers: [Headers.Field] = []
        var lines = bytes.split(separator: UInt8(ascii: "\n"))[...]
        if skippingFirst { lines = lines.dropFirst() }
        for line in lines {
            if let first = line.first, isSpace(first), !headers.isEmpty {
                let more = text(line)
                if !more.isEmpty { headers[headers.count - 1].value += " " + more }
            } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
                headers.append(Headers.Field(name: text(line[..<colon]), value: text(line[(colon + 1)...])))
            }
        }
        var result = Headers()
        for field in headers { result.append(field.name, field.value) }
        return result
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        var bytes = bytes
        while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}
