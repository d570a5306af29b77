/** Requests that a client may send within a minute. */
export const REQUESTS_PER_MINUTE = 100;
