import Foundation

/// A program that is run to its end.
package enum Command {
    package struct Failed: Error {
        package let command: String
        package let status: Int32
    }

    /// Runs it without input and output; not by `Process`, which waits for daemons, too.
    package static func run(_ command: String, _ arguments: [String]) throws {
        #if os(Linux)
            var actions = posix_spawn_file_actions_t()
        #else
            var actions: posix_spawn_file_actions_t?
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var words: [UnsafeMutablePointer<CChar>?] = ([command] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var pid = pid_t()
        var status: Int32 = 0
        let result = posix_spawn(&pid, command, &actions, nil, &words, environ)
        guard result == 0, waitpid(pid, &status, 0) == pid, status == 0 else {
            throw Failed(command: command, status: result == 0 ? status : result)
        }
    }
}
