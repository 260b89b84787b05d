// What the thread sanitizer takes for a race in Swift 6.2 and is none: a continuation that another thread resumes before
// its task has suspended. `swift_continuation_await` then goes on at once, and leaves out the `__tsan_acquire` that the
// slow way has. CurlTransport tells it itself (`cnc_task_resumed`); when this file has no report any more, that may go.
//
//     swiftc -parse-as-library -sanitize=thread resumed-early.swift && ./resumed-early
import Glibc

final class Box: @unchecked Sendable {
    var value = 0
    var continuation: UnsafeContinuation<Void, Never>?
}

@main
struct ResumedEarly {
    static func main() async {
        let box = Box()
        await withUnsafeContinuation { continuation in
            box.continuation = continuation
            var thread = pthread_t()
            pthread_create(
                &thread,
                nil,
                { context in
                    guard let context else { return nil }
                    let box = Unmanaged<Box>.fromOpaque(context).takeRetainedValue()
                    box.value = 1
                    box.continuation?.resume()
                    return nil
                },
                Unmanaged.passRetained(box).toOpaque()
            )
            pthread_detach(thread)
            // The task has not suspended yet when it is resumed. Without this line there is no report.
            usleep(100_000)
        }
        print(box.value)
    }
}
