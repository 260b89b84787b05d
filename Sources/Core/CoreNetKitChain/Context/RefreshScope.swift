/// The token refreshers that the running task works for: its calls must not wait for work that waits for them.
///
/// It is a task-local, because the refresh is the user's closure, which calls other chains: no value of the call that
/// started it reaches them.
package enum RefreshScope {
    @TaskLocal package static var current: Set<ObjectIdentifier> = []
}
