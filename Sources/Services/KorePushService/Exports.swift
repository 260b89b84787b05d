// The initializers take stores, so that `import KorePushService` alone is enough.
@_exported public import PushRegistration
