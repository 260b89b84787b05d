#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitWire

    // How the content of a response on libcurl's lane is delimited and coded: by the rules of the wire, not by what libcurl
    // makes of it.
    extension TransferState {
        /// Determines how the end of the content is marked, by the same rules as on the wire (RFC 9112, 6.3).
        ///
        /// libcurl takes the last of several lengths, and reads numbers with a sign before or letters behind them.
        mutating func delimit() -> Bool {
            do {
                response.framing = try BodyFraming(
                    status: Int(response.status),
                    response.fields,
                    isToHead: terms.hasNoContent
                )
            } catch {
                return refuse(error)
            }
            // Here libcurl goes by the length, which the coding overrides: it would cut the content.
            if response.framing == .untilClose, response.fields.length != .none { return refuse(.transferCoding) }
            return true
        }

        private mutating func refuse(_ fault: WireFault) -> Bool {
            refusal = .malformed(fault)
            return false
        }

        /// Notes a field that determines how the content is read.
        ///
        /// - Returns: Whether it is well-formed.
        mutating func noteContentField(_ line: UnsafeRawBufferPointer) -> Bool {
            guard let first = line.first else { return true }
            if response.isFramingField, ASCII.isBlank(first) { return refuse(.folding) }
            response.isFramingField = false
            switch first | 0x20 {
            case UInt8(ascii: "c"):
                if TransferState.starts(line, with: "content-encoding:") {
                    response.codings.add(17..<TransferState.contentEnd(of: line), of: line)
                } else if TransferState.starts(line, with: "content-length:") {
                    return noteFraming(line)
                }
            case UInt8(ascii: "t"):
                if TransferState.starts(line, with: "transfer-encoding:") { return noteFraming(line) }
            default: break
            }
            return true
        }

        private mutating func noteFraming(_ line: UnsafeRawBufferPointer) -> Bool {
            do {
                let content = 0..<TransferState.contentEnd(of: line)
                response.isFramingField = response.fields.note(try FieldLine(line, content), in: line)
            } catch {
                return refuse(error)
            }
            return true
        }

        /// Where a line's own end begins.
        private static func contentEnd(of line: UnsafeRawBufferPointer) -> Int {
            var end = line.count
            while end > 0, line[end - 1] == UInt8(ascii: "\n") || line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
            return end
        }

        private static func starts(_ line: UnsafeRawBufferPointer, with name: StaticString) -> Bool {
            guard line.count > name.utf8CodeUnitCount else { return false }
            for index in 0..<name.utf8CodeUnitCount where Headers.lowered(line[index]) != name.utf8Start[index] {
                return false
            }
            return true
        }
    }
#endif
