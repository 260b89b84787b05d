#if os(Linux)
    extension HTTP2ClientRule {
        /// RFC 7541: every form of a field, and every way to get it wrong.
        static let compression: [HTTP2ClientRule] = forms.map(decoded) + broken.map(refused) + tables

        private static func decoded(_ title: String, _ block: [UInt8], _ head: String) -> HTTP2ClientRule {
            .init("RFC 7541, 6", title, [.continues], events: ["head \(head)", "end", "closed 0"]) {
                $0.frame(1, 5, 1, block)
            }
        }

        private static func refused(_ section: String, _ title: String, _ block: [UInt8]) -> HTTP2ClientRule {
            .init("RFC 7541, \(section)", title, [.connection(.compression)]) { $0.frame(1, 5, 1, block) }
        }

        private static let endless = [UInt8](repeating: 0xFF, count: 21)
        private static let long = [0x88, 0x00, 1, 0x61, 0x7F, 0x80, 0x00] + [UInt8](repeating: 0x62, count: 127)

        /// 0x88 is `:status: 200` of the static table.
        private static let forms: [(String, [UInt8], String)] = [
            ("a field of the static table", [0x8D], "404 chunked"),
            ("a literal for the table, its name of the static one", [0x48, 3, 0x34, 0x31, 0x38], "418 chunked"),
            ("a literal for no table, its name of the static one", [0x08, 3, 0x34, 0x31, 0x38], "418 chunked"),
            ("a literal for never, its name of the static one", [0x18, 3, 0x34, 0x31, 0x38], "418 chunked"),
            ("a literal for the table with its name", [0x88, 0x40, 1, 0x61, 1, 0x62], "200 chunked a=b"),
            ("a literal for no table with its name", [0x88, 0x00, 1, 0x61, 1, 0x62], "200 chunked a=b"),
            ("a literal for never with its name", [0x88, 0x10, 1, 0x61, 1, 0x62], "200 chunked a=b"),
            // "a" is 00011, "b" is 100011, each filled up with ones.
            ("a literal for the table in Huffman's code", [0x88, 0x40, 0x81, 0x1F, 0x81, 0x8F], "200 chunked a=b"),
            ("a literal for no table in Huffman's code", [0x88, 0x00, 0x81, 0x1F, 0x81, 0x8F], "200 chunked a=b"),
            ("a literal for never in Huffman's code", [0x88, 0x10, 0x81, 0x1F, 0x81, 0x8F], "200 chunked a=b"),
            ("a name in Huffman's code, a value as it is", [0x88, 0x00, 0x81, 0x1F, 1, 0x62], "200 chunked a=b"),
            (
                "a field of the table that the block itself has filled", [0x88, 0x40, 1, 0x61, 1, 0x62, 0xBE],
                "200 chunked a=b a=b"
            ),
            ("a name of the table", [0x88, 0x40, 1, 0x61, 1, 0x62, 0x7E, 1, 0x63], "200 chunked a=b a=c"),
            ("a table that becomes smaller", [0x20, 0x88], "200 chunked"),
            ("a table that becomes smaller and then its old size", [0x20, 0x3F, 0xE1, 0x1F, 0x88], "200 chunked"),
            ("a length with more bytes than it takes", long, "200 chunked a=" + String(repeating: "b", count: 127)),
        ]

        private static let broken: [(String, String, [UInt8])] = [
            ("6.1", "no field has the index 0", [0x88, 0x80]),
            ("2.3.3", "a field's index is in a table", [0x88, 0xBE]),
            ("2.3.3", "a field's index beyond all tables is an error", [0x88, 0xFF, 0xFF, 0x7F]),
            ("2.3.3", "the index of a name is in a table", [0x88, 0x7E, 1, 0x62]),
            ("2.3.3", "the index of a name for no table is in a table", [0x88, 0x0F, 0x70, 1, 0x62]),
            ("5.1", "an index has an end", endless),
            (
                "5.1", "a length does not overflow",
                [0x88, 0, 1, 0x61, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0]
            ),
            ("5.1", "an index may not be cut", [0x88, 0xFF]), ("5.2", "a name may not be cut", [0x88, 0, 5, 0x61]),
            ("5.2", "a value may not be cut", [0x88, 0, 1, 0x61, 9, 0x62]),
            ("5.2", "a value may not be missing", [0x88, 0, 1, 0x61]),
            ("5.2", "Huffman's code is filled up with less than eight ones", [0x88, 0, 1, 0x61, 0x82, 0x8F, 0xFF]),
            ("5.2", "Huffman's code is not filled up with zeros", [0x88, 0, 1, 0x61, 0x81, 0x8C]),
            ("5.2", "Huffman's code does not contain its end", [0x88, 0, 1, 0x61, 0x85, 0x1F, 0xFF, 0xFF, 0xFF, 0xFF]),
            ("5.2", "Huffman's code for the end alone is an error", [0x88, 0, 1, 0x61, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]),
            ("6.3", "a table does not become greater than was agreed", [0x3F, 0xE2, 0x1F, 0x88]),
            ("4.2", "the size of a table is at the beginning of a block", [0x88, 0x20]),
            ("4.2", "the size of a table is not among fields", [0x88, 0x20, 0x00, 1, 0x61, 1, 0x62]),
        ]

        /// What a block leaves in the table, for the next one.
        private static let tables: [HTTP2ClientRule] = [
            .init(
                "RFC 7541, 2.3.2",
                "a field is in the table for the next block",
                [.continues],
                events: ["interim 103", "head 200 chunked a=b", "end", "closed 0"]
            ) {
                $0.frame(1, 4, 1, FrameWriter.block([(":status", "103")]) + [0x40, 1, 0x61, 1, 0x62])
                $0.frame(1, 5, 1, [0x88, 0xBE])
            },
            .init("RFC 7541, 4.3", "a smaller table has lost its fields", [.connection(.compression)]) {
                $0.frame(1, 4, 1, FrameWriter.block([(":status", "103")]) + [0x40, 1, 0x61, 1, 0x62])
                $0.frame(1, 5, 1, [0x20, 0x3F, 0xE1, 0x1F] + [0x88, 0xBE])
            },
            .init("RFC 7541, 4.4", "a field that is larger than the table empties it", [.connection(.compression)]) {
                $0.frame(1, 4, 1, FrameWriter.block([(":status", "103")]) + [0x40, 1, 0x61, 1, 0x62])
                $0.frame(1, 5, 1, [0x88] + large + [0xBE])
            },
            .init("4.3", "a head that is malformed fills the table", [.stream(.protocolError)]) {
                $0.frame(1, 4, 1, [0x40, 1, 0x61, 1, 0x62])
                $0.frame(1, 5, 1, [0x88, 0xBE])
            },
            .init("4.3", "a head for a cancelled stream fills the table", after: .cancelled, [.continues], events: []) {
                $0.frame(1, 5, 1, [0x88, 0x40, 1, 0x61, 1, 0x62])
                $0.frame(1, 5, 1, [0x88, 0xBE])
            },
            .init("4.3", "a head for a cancelled stream is decoded", after: .cancelled, [.connection(.compression)]) {
                $0.frame(1, 5, 1, [0x88, 0xBE])
            },
        ]

        /// A literal for the table with a value of 5000 bytes.
        private static let large: [UInt8] = [0x40, 1, 0x62, 0x7F, 0x89, 0x26] + [UInt8](repeating: 0x63, count: 5000)
    }
#endif
