import CoreNetKit
import CoreNetKitOutbox
import Foundation

/// A program that is killed by tests: enqueues numbered requests, says which are stored, delivers all the while.
///
/// Arguments: folder, URL of the server, first number, how many (0 delivers what is there and ends), "deliver" or
/// "enqueue" for what it does.
@main
struct OutboxProgram {
    static func main() async {
        let arguments = CommandLine.arguments
        do {
            if try await measure(arguments) { return }
            guard arguments.count == 6, let url = URL(string: arguments[2]), let first = Int(arguments[3]),
                let count = Int(arguments[4])
            else { exit(2) }
            var options = Outbox.Options()
            options.firstBackoff = .milliseconds(5)
            options.longestBackoff = .milliseconds(50)
            options.pollInterval = .milliseconds(20)
            let outbox = try Outbox(at: URL(fileURLWithPath: arguments[1]), options: options)
            let client = Client().outbox(outbox)
            if count == 0 {
                let state = try await outbox.drain(with: client)
                say("left \(state.waiting) dead \(state.deadLetters.count)")
                return
            }
            if arguments[5] == "deliver" { Task { try await outbox.run(with: client) } }
            for number in first..<first + count {
                let request = OutboxRequest(method: .post, url: url, body: .bytes(Data("\(number)".utf8)))
                try await outbox.enqueue(request, in: "q\(number % 5)", repetition: .keyIsHonoured())
                say("\(number)")
            }
            while await outbox.state.waiting + outbox.state.sending > 0 {
                // Real time: this is the process that is killed.
                try await Task.sleep(for: .milliseconds(5))
            }
        } catch {
            say("error \(error)")
            exit(1)
        }
    }

    /// The modes that measure; whether it was one of them.
    private static func measure(_ arguments: [String]) async throws -> Bool {
        guard arguments.count > 2 else { return false }
        let folder = URL(fileURLWithPath: arguments[2])
        switch (arguments[1], arguments.count) {
        case ("measure", 3): try await Figures(folder: folder).measure()
        case ("open", 3): try await WaitingFigures(folder: folder).measure()
        case ("fill", 5):
            guard let count = Int(arguments[3]), let queues = Int(arguments[4]) else { return false }
            try await WaitingFigures(folder: folder).fill(count, queues: queues)
        default: return false
        }
        return true
    }

    private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
