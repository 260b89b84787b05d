public import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP

/// A request as a command line of `curl` that repeats it, safe to paste into a POSIX shell.
///
/// It contains no secrets: the command reads a variable in place of each, and a comment above it lists the variables to
/// set. Text is quoted so that no shell expands it; content that is not plain text is produced by `printf`.
public struct CurlCommand: Sendable, CustomStringConvertible {
    /// The command with its comment.
    public private(set) var description: String
    /// The variables that replace secrets.
    public let variables: [String]

    /// The separator of two arguments.
    static let lineBreak = " \\\n  "

    /// Repeats the last request of a call; `nil` for a call that sent none.
    public init?(_ record: CallRecord) {
        guard let last = CallTimeline(record).exchanges.last else { return nil }
        self.init(last.request)
    }

    /// Repeats one recorded request.
    public init(_ request: CallEvent.SentRequest) {
        // curl sets length and host itself; the management of connections is up to the user.
        let keepsAlive = request.headers["Connection"]?.lowercased() == "keep-alive"
        let own = ["Host", "Content-Length"] + (keepsAlive ? ["Connection"] : [])
        var headers = request.headers
        if request.hasAllHeaders { for name in own { headers.remove(name) } }
        var words = ShellWords()
        var parts = ["curl --globoff --path-as-is"]
        let hasBody = request.body.map { !$0.isEmpty } ?? false
        switch request.method {
        case .get where !hasBody: break
        case .head where !hasBody: parts.append("--head")
        default: parts.append("--request \(words.quoted(request.method.rawValue))")
        }
        for field in headers { parts.append("--header \(words.header(field))") }
        // curl's own defaults are removed; `User-Agent` only if the sent fields were recorded, which show the transport's.
        for name in request.hasAllHeaders ? ["Accept", "User-Agent"] : ["Accept"] where !headers.contains(name) {
            parts.append("--header '\(name):'")
        }
        if headers.contains("Accept-Encoding") { parts.append("--compressed") }
        if hasBody, !headers.contains("Content-Type") { parts.append("--header 'Content-Type:'") }
        let content = hasBody ? request.body.map { words.content($0) } : nil
        if let content { parts.append(content.option) }
        if hasBody, !headers.contains("Expect") { parts.append("--header 'Expect:'") }
        parts.append(words.quoted(request.url, named: "url"))
        variables = words.variables
        var comments: [String] = []
        if request.isBodyCut {
            let whole = request.bodySize.map { " of \($0) bytes" } ?? ""
            comments.append("# the content is cut: the end\(whole) was not kept")
        }
        if !variables.isEmpty { comments.append("# set first: \(variables.joined(separator: ", "))") }
        if request.bodyKind != .none, request.body == nil { comments.append("# the content was not kept") }
        let command = (content?.pipe ?? "") + parts.joined(separator: Self.lineBreak)
        description = (comments + [command]).joined(separator: "\n")
    }
}

extension CallRecord {
    /// The last request of the call as a `curl` command; `nil` for a call that sent none.
    public var curl: String? { CurlCommand(self)?.description }
}

/// Words of a POSIX shell.
struct ShellWords {
    private(set) var variables: [String] = []
    private var known: Set<String> = []
    /// The last number of each name.
    private var numbers: [String: Int] = [:]

    /// The text in single quotes; a redacted secret in it becomes a variable in double quotes.
    mutating func quoted(_ text: String, named name: String = "value") -> String {
        guard text.contains(Redactor.word) else { return Self.quote(text) }
        var result = ""
        var rest = Substring(text)
        while let range = rest.firstRange(of: Redactor.word) {
            let before = rest[..<range.lowerBound]
            if !before.isEmpty { result += Self.quote(String(before)) }
            // An unset variable is an error, not an empty text.
            result += "\"${\(variable(name, before)):?}\""
            rest = rest[range.upperBound...]
        }
        return rest.isEmpty ? result : result + Self.quote(String(rest))
    }

    /// `Name: value`; an empty value needs curl's own form.
    mutating func header(_ field: Headers.Field) -> String {
        guard !field.value.isEmpty else { return Self.quote("\(field.name);") }
        return quoted("\(field.name): \(field.value)", named: field.name)
    }

    /// The option for content, and the command before it if the bytes are no text.
    mutating func content(_ body: Data) -> (option: String, pipe: String) {
        if let text = Self.plain(body) { return ("--data-raw \(quoted(text))", "") }
        return ("--data-binary @-", "printf '\(Self.octal(body))' | ")
    }

    /// `AUTHORIZATION`, `URL_TOKEN`: named after the field, or the query item at the end of the text before it.
    private mutating func variable(_ name: String, _ before: Substring) -> String {
        var words = name
        if name == "url" || name == "value", before.last == "=" {
            let item = before.dropLast().utf8.reversed().prefix { $0 != UInt8(ascii: "&") && $0 != UInt8(ascii: "?") }
            words += "_" + String(decoding: item.reversed(), as: UTF8.self)
        } else if name == "value", let member = Self.member(before) {
            words = String(member)
        } else if name == "url" {
            words += before.last == ":" ? "_password" : "_user"
        }
        let letters = words.uppercased().utf8.map { 0x41...0x5A ~= $0 || 0x30...0x39 ~= $0 ? $0 : UInt8(ascii: "_") }
        let base = String(decoding: letters, as: UTF8.self)
        let first = base.first?.isNumber == true ? "_\(base)" : base
        var variable = first
        while !known.insert(variable).inserted {
            numbers[first, default: 1] += 1
            variable = "\(first)_\(numbers[first, default: 1])"
        }
        variables.append(variable)
        return variable
    }

    /// The name of the JSON member whose value begins after a text.
    private static func member(_ before: Substring) -> Substring? {
        let parts = before.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[parts.count - 1].isEmpty,
            parts[parts.count - 2].allSatisfy({ $0 == ":" || $0 == " " }), !parts[parts.count - 3].isEmpty
        else { return nil }
        return parts[parts.count - 3]
    }

    /// Single quotes; a quote inside closes them, is escaped, and opens them again.
    ///
    /// Control characters would reach the terminal into which the command is pasted: `printf` makes them.
    static func quote(_ text: String) -> String {
        if plain(Data(text.utf8)) == nil { return "\"$(printf '\(octal(Data(text.utf8)))')\"" }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }

    /// The content as text without control characters, which a terminal would act on; `nil` for all else.
    static func plain(_ body: Data) -> String? {
        guard let text = String(validating: body, as: UTF8.self) else { return nil }
        return text.unicodeScalars.contains(where: \.isUnsafeInTerminal) ? nil : text
    }

    /// The content as an argument of `printf`: octal escapes for all but plain letters, and for a `-` at the start.
    static func octal(_ body: Data) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(body.count * 2)
        for byte in body {
            switch byte {
            case UInt8(ascii: "-") where output.isEmpty: output += Array(#"\055"#.utf8)
            case 0x20..<0x7F where byte != UInt8(ascii: "'") && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "%"):
                output.append(byte)
            default:
                output.append(UInt8(ascii: "\\"))
                for shift in [6, 3, 0] { output.append(UInt8(ascii: "0") + byte >> shift & 7) }
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
