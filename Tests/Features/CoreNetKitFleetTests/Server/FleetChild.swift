#if os(Linux)
    import CoreNetKitSystem
    import Foundation

    /// A process of `FleetProgram`: lines go in, lines come out.
    final class FleetChild: Sendable {
        /// Beside the test bundle.
        static let program = folders.map { $0.appendingPathComponent("FleetProgram") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }

        private static var folders: [URL] {
            let bundles = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
            let own = CommandLine.arguments.prefix(1).map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
            return bundles + own
        }

        private let process: Process
        private let input = Pipe()
        private let lines: AsyncStream<String>

        init(_ arguments: [String]) throws {
            let (lines, continuation) = AsyncStream.makeStream(of: String.self)
            self.lines = lines
            process = Process()
            // It ends by itself, whatever becomes of the test.
            process.executableURL = URL(filePath: "/usr/bin/timeout")
            process.arguments = ["-s", "KILL", "600", Self.program?.path ?? ""] + arguments
            let pipe = Pipe()
            (process.standardInput, process.standardOutput) = (input, pipe)
            process.standardError = FileHandle.nullDevice
            let output = pipe.fileHandleForReading
            try process.run()
            // A thread and no `readabilityHandler`: that is a dispatch source, which must not outlive its descriptor.
            let isRead = DetachedThread.start {
                var rest = Data()
                while case let bytes = output.availableData, !bytes.isEmpty {
                    rest += bytes
                    while let end = rest.firstIndex(of: 10) {
                        continuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                        rest = Data(rest[(end + 1)...])
                    }
                }
                continuation.finish()
            }
            if !isRead { continuation.finish() }
        }

        /// Its next line; `nil` when it has ended.
        func line() async -> String? {
            var iterator = lines.makeAsyncIterator()
            return await iterator.next()
        }

        /// One that has ended says so with its next line.
        func tell(_ line: String) { try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

        /// Tells it something, and waits for what it says.
        func ask(_ line: String) async -> String? {
            tell(line)
            return await self.line()
        }

        func end() { try? input.fileHandleForWriting.close() }
    }
#endif
