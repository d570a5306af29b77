/** Headers of every response: nothing is loaded from elsewhere, framed, or sniffed. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};

export const PROBLEM_TYPE = "application/problem+json";
export const JSON_TYPE = "application/json; charset=utf-8";
/** Tasks must not be cached. */
export const NO_STORE = { "cache-control": "no-store" };
export const PROBLEM_HEADERS = { ...SECURITY_HEADERS, ...NO_STORE, "content-type": PROBLEM_TYPE };
