/** Source of time. Tests inject their own (L15). */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Call `fire` once, `delayMs` from now. Returns a function that cancels it. The process stays alive until then, unless
   * `keepsAlive` is false.
   */
  after(delayMs: number, fire: () => void, options?: { readonly keepsAlive?: boolean }): () => void;
}
