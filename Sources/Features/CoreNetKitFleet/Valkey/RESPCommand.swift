import CoreNetKitEssentials

/// A command in the wire format: an array of bulk strings.
struct RESPCommand: Sendable {
    private(set) var bytes: Data

    /// Encodes a command.
    ///
    /// - Parameter parts: The name and the arguments.
    init(_ parts: [Part]) {
        bytes = Data(capacity: parts.reduce(16) { $0 + $1.count + 16 })
        line("*", parts.count)
        for part in parts {
            line("$", part.count)
            switch part {
            case .text(let text): bytes.append(contentsOf: text.utf8)
            case .bytes(let data): bytes.append(data)
            }
            end()
        }
    }

    private mutating func line(_ kind: Character, _ count: Int) {
        bytes.append(contentsOf: "\(kind)\(count)".utf8)
        end()
    }

    private mutating func end() {
        bytes.append(0x0D)
        bytes.append(0x0A)
    }

    /// A part of a command.
    enum Part: Sendable, ExpressibleByStringInterpolation {
        case text(String)
        case bytes(Data)

        init(stringLiteral value: String) { self = .text(value) }

        var count: Int {
            switch self {
            case .text(let text): text.utf8.count
            case .bytes(let data): data.count
            }
        }
    }
}
