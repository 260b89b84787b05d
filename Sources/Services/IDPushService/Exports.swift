// The initializers take stores, so that `import IDPushService` alone is enough.
@_exported public import PushRegistration
