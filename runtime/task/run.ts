import { filter, ignoreElements, mergeMap, type Observable } from "rxjs";
import type { z } from "zod";
import type { Answer, AskType } from "../../machines/message/asks.ts";
import type { Ask } from "./ask.ts";
import { holdsRun } from "./received-asks.ts";
import type { TreeAsk } from "./tree-asks.ts";
import type { UserInput } from "./user-input.ts";

/** Options of `Task.run`. */
export interface RunOptions {
  /** Data URLs that accompany the prompt. */
  readonly images?: readonly string[];
  /** Cancels the task when it aborts. */
  readonly signal?: AbortSignal;
  /**
   * Answers the asks that hold up the run as they open, asks of subtasks included. Without it, and without a subscriber of
   * `asks$` or `treeAsks$`, the run resolves with the asks. An error that it throws is the error of the run; the ask stays
   * open.
   */
  readonly onAsk?: (ask: Ask) => void | Promise<void>;
}

/** Options of a run whose result has the type of a schema. */
export type ResultOptions<T> = RunOptions & { readonly result?: z.ZodType<T> | undefined };

/** The `onAsk` of a front end that answers the asks where it shows them. */
export const answeredWhereShown = (): void => {};

/** Answers the asks of a tree with `onAsk` while it is subscribed. It emits nothing, and the error of `onAsk`. */
export const answeredBy = (
  onAsk: NonNullable<RunOptions["onAsk"]>,
  asks$: Observable<TreeAsk>,
): Observable<never> =>
  asks$.pipe(
    filter(({ path, ask }) => holdsRun(ask, path.length === 1)),
    mergeMap(async ({ ask }) => onAsk(ask)),
    ignoreElements(),
  );

/** Do `work` while an abort of `signal` cancels it. @throws the reason of a signal that has aborted before */
export async function cancelledBy<T>(
  signal: AbortSignal | undefined,
  cancel: () => void,
  work: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const onAbort = (): void => cancel();
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await work();
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

/** The asks that a yes without words answers, to continue the task. */
const CONTINUED_BY_YES: ReadonlySet<AskType> = new Set([
  "resume_task",
  "api_req_failed",
  "mistake_limit_reached",
]);

/** The answer to an ask at rest that continues the task; undefined if it takes no prompt, or needs one. */
export function continuation(
  ask: AskType,
  accepts: readonly Answer["kind"][],
  input: UserInput | undefined,
): Answer | undefined {
  if (input === undefined) return CONTINUED_BY_YES.has(ask) ? { kind: "yes" } : undefined;
  if (accepts.includes("text")) return { kind: "text", ...input };
  return ask === "api_req_failed" ? { kind: "yes", ...input } : undefined;
}
