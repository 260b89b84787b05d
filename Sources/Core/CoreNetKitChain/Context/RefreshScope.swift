/// The token refreshers that the running task works for: its calls must not wait for a refresh that waits for them.
///
/// A task-local value, because a refresh runs the user's closure, which calls other chains: no value of the call that
/// started it reaches them.
package enum RefreshScope {
    @TaskLocal package static var current: Set<ObjectIdentifier> = []
}
