/// Computes a short name for a text, the same in each process: FNV-1a, twice with different starting values.
package enum StableHash {
    package static func name(of text: String) -> String {
        let halves: [UInt64] = [0xcbf2_9ce4_8422_2325, 0x8422_2325_cbf2_9ce4].map { start in
            text.utf8.reduce(start) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        }
        return halves.map { String($0, radix: 36) }.joined()
    }
}
