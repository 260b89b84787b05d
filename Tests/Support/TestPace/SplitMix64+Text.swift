package import CoreNetKitSystem

extension SplitMix64 {
    /// Up to 24 scalars: ASCII, the basic plane and beyond.
    package mutating func text() -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...24, using: &self) {
            let limit: UInt32 = [0x80, 0x800, 0x1_0000, 0x11_0000].randomElement(using: &self) ?? 0x80
            if let scalar = UnicodeScalar(UInt32.random(in: 0..<limit, using: &self)) { text.append(scalar) }
        }
        return String(text)
    }
}
