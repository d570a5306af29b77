/**
 * A point at which a protocol decides: after a response and before its text is shown, before a call runs, and before the
 * model sees a result.
 */
export type Point = "response" | "call" | "result";
