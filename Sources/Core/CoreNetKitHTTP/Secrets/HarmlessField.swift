// Fields that are never credentials, however random their values: those of IANA's registry, of CDNs, traces and rate
// limits, and those whose names end in a word for ids of requests, digests and versions.
extension SecretName {
    /// Whether a field of this name is one of them; checked only for values that look random.
    static func isHarmlessField(_ name: String) -> Bool {
        let name = name.lowercased()
        if names.contains(name) { return true }
        let plain = plain(name)
        return endings.contains { plain.hasSuffix($0) }
    }

    private static let endings = [
        "requestid", "traceid", "spanid", "correlationid", "transactionid", "operationid", "uploadid", "checksum",
        "digest", "sha1", "sha256", "sha512", "md5", "etag", "commit", "revision", "build", "version", "release",
        "cursor",
    ]

    private static let names = Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    private static let text = """
        a-im accept-additions accept-ch accept-datetime accept-features accept-patch accept-post accept-query
        accept-signature access-control-allow-credentials access-control-allow-headers access-control-allow-methods
        access-control-allow-origin access-control-expose-headers access-control-max-age
        access-control-request-headers access-control-request-method allow alpn alt-svc alt-used alternates
        amp-cache-transform anthropic-ratelimit-input-tokens-remaining anthropic-ratelimit-tokens-limit
        anthropic-version apply-to-redirect-ref available-dictionary b3 baggage cache-group-invalidation cache-groups
        cache-status capsule-protocol cdn-cache-control cdn-loop cert-not-after cert-not-before cf-cache-status
        cf-connecting-ip cf-ipcountry cf-ray clear-site-data close configuration-context content-base content-digest
        content-disposition content-id content-security-policy content-security-policy-report-only content-version
        cross-origin-embedder-policy cross-origin-opener-policy cross-origin-resource-policy dasl dav default-style
        delta-base deprecation depth destination dictionary-id differential-id digest dnt downlink early-data ect
        expect-ct fastly-debug forwarded from http2-settings if if-schedule-tag-match im incremental isolation
        keep-alive label last-event-id link-template max-forwards memento-datetime meter mime-version negotiate nel
        odata-entityid odata-isolation odata-maxversion odata-version openai-processing-ms openai-version
        ordering-type origin origin-agent-cluster oscore oslc-core-version overwrite p3p pep permissions-policy prefer
        preference-applied proxy-authenticate proxy-status public-key-pins ratelimit ratelimit-limit ratelimit-policy
        ratelimit-remaining ratelimit-reset redirect-ref referrer-policy refresh replay-nonce repr-digest rtt
        save-data sec-ch-ua sec-ch-ua-mobile sec-ch-ua-platform sec-fetch-dest sec-fetch-mode sec-fetch-site
        sec-fetch-user sec-gpc sec-purpose sec-websocket-accept sec-websocket-extensions sec-websocket-key
        sec-websocket-version sentry-trace server-timing signature-input slug soapaction status-uri
        strict-transport-security sunset surrogate-control surrogate-key tcn timeout topic true-client-ip ttl
        uber-trace-id upgrade-insecure-requests urgency uri use-as-dictionary variant-vary want-content-digest
        want-repr-digest x-akamai-request-id x-amz-cf-id x-amz-cf-pop x-amz-checksum-sha256 x-amz-content-sha256
        x-amz-copy-source x-amz-date x-amz-id-2 x-amz-meta-etag x-amz-mp-parts-count x-amz-request-id x-amz-user-agent
        x-amzn-trace-id x-api-version x-azure-ref x-b3-parentspanid x-b3-sampled x-b3-spanid x-b3-traceid x-cache
        x-cache-hits x-cache-key x-client-version x-cloud-trace-context x-content-type-options x-continuation-token
        x-correlation-id x-datadog-parent-id x-datadog-sampling-priority x-datadog-trace-id x-device-model
        x-dns-prefetch-control x-download-options x-feature-flags x-forwarded-for x-forwarded-host x-forwarded-port
        x-forwarded-prefix x-forwarded-proto x-frame-options x-github-api-version x-github-media-type
        x-github-request-id x-goog-generation x-goog-hash x-guploader-uploadid x-http-method-override
        x-idempotency-key x-ms-blob-content-md5 x-next-page x-next-page-token x-oauth-scopes-count x-ot-span-context
        x-page x-partition-key x-per-page x-powered-by x-prev-page x-public-key x-ratelimit-limit
        x-ratelimit-limit-tokens x-ratelimit-remaining x-ratelimit-remaining-tokens x-ratelimit-reset
        x-ratelimit-reset-tokens x-real-ip x-requested-with x-robots-tag x-routing-key x-runtime x-served-by
        x-session-affinity x-timer x-total x-total-count x-total-pages x-ua-compatible x-varnish x-vercel-cache
        x-vercel-id
        """
}
