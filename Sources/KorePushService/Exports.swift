// Stores are the services' own vocabulary: a user writes `import KorePushService` alone.
@_exported public import PushRegistration
