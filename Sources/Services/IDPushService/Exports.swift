// Stores are the services' own vocabulary: a user writes `import IDPushService` alone.
@_exported public import PushRegistration
