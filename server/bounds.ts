/** What the server holds at most, and for how long (L14). */
export interface ServerBounds {
  /** Bytes of a request's body. Default 32 MiB: room for some images. */
  readonly bodyBytes: number;
  /** Streams that are open at the same time. Default 4096. */
  readonly streams: number;
  /** Events of each open task that are kept for its streams. Default 1024. */
  readonly liveEvents: number;
  /** Characters of those events. The newest one is kept however long it is. Default 1 Mi. */
  readonly liveChars: number;
  /** Characters of a stream that are handed to its connection at once. Default 64 Ki. */
  readonly chunkChars: number;
  /** Milliseconds for which what comes soon after another is gathered before it is handed on. Default 16. */
  readonly gatherMs: number;
  /** Milliseconds after which a stream tells that it is alive. Default 15,000. */
  readonly heartbeatMs: number;
  /** Milliseconds for which a reader may take nothing of what waits for it. Default 30,000. */
  readonly stallMs: number;
  /** Milliseconds for which changes of a task's card are gathered. Default 100. */
  readonly cardsMs: number;
}

export const DEFAULT_SERVER_BOUNDS: ServerBounds = {
  bodyBytes: 32 * 1024 * 1024,
  streams: 4096,
  liveEvents: 1024,
  liveChars: 1024 * 1024,
  chunkChars: 64 * 1024,
  gatherMs: 16,
  heartbeatMs: 15_000,
  stallMs: 30_000,
  cardsMs: 100,
};
