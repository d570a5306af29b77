import type { Answer } from "../../machines/message/asks.ts";

/**
 * An answer that a policy gives when `afterMs` have passed since the ask was first posted. At 0 the ask is never
 * opened. A reopened task keeps the deadline, since an ask's id is its timestamp.
 */
export interface Expiry {
  readonly afterMs: number;
  readonly answer: Answer;
  /** Name of the policy's rule. */
  readonly rule: string;
}
