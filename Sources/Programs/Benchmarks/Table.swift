import Foundation

/// A table of numbers, printed as it grows.
struct Table {
    private let widths: [Int]

    init(_ title: String, _ columns: [String]) {
        print("\n\(title)\n")
        widths = columns.enumerated().map { max($1.count, $0 == 0 ? 44 : 11) }
        row(columns)
        print(widths.map { String(repeating: "-", count: $0) }.joined(separator: "  "))
    }

    func row(_ cells: [String]) {
        let padded = zip(cells, widths).enumerated().map { index, cell in
            let space = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
            return index == 0 ? cell.0 + space : space + cell.0
        }
        print(padded.joined(separator: "  "))
        fflush(nil)
    }
}

extension Double {
    func text(_ digits: Int = 2) -> String { isFinite ? String(format: "%.\(digits)f", self) : "-" }
}

extension [Double] {
    var median: Double { isEmpty ? .nan : sorted()[count / 2] }
}
