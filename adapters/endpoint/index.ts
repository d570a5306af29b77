export { codeOf, isRetryable, retryAfter } from "./failure.ts";
