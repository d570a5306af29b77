/** Limits of one response, and how often the task is notified of it. */
export interface LlmLimits {
  /** The shortest time between two batches of events, in milliseconds. Default 25. */
  readonly frameMs?: number;
  /** Maximum time without a stream event, in milliseconds. Default 120,000. */
  readonly idleTimeoutMs?: number;
  /** Maximum bytes of a tool call's arguments in a preview, and of the preview. Default 8,192. */
  readonly previewBytes?: number;
  /** Maximum time for counting the tokens of a request before it is condensed, in milliseconds. Default 10,000. */
  readonly countTimeoutMs?: number;
  /** Maximum length of a response, in characters of text, thinking and arguments. Default 16 million. */
  readonly answerMaxChars?: number;
}
