import type { MonitoredAction } from "../../control/runtime/action.ts";
import type { Controller } from "../../control/runtime/controller.ts";
import type { Decision } from "../../control/verdict.ts";
import type { ControlRecord } from "../../machines/tool-call/control.ts";
import type { Json } from "../../machines/tool-call/json.ts";
import type { Clock } from "../../ports/clock.ts";
import { formatError } from "../../tools/error.ts";
import { noDecision } from "../hooks/failure.ts";
import { unlessAborted } from "../protocol/unless-aborted.ts";
import { digestOf } from "../review/digest.ts";
import type { DecisionSignals, Measured } from "./measure.ts";

/** Time of one decision, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** Do the work of one decision within its time limit. */
export async function withinTime<T>(
  { timeoutMs = TIMEOUT_MS }: Controller,
  clock: Clock,
  cancelled: AbortSignal,
  work: (signals: DecisionSignals) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController();
  const cancel = clock.after(timeoutMs, () =>
    timeout.abort(noDecision(`expected a score within ${timeoutMs} ms, received none.`)),
  );
  try {
    return await work({ cancelled, ended: AbortSignal.any([cancelled, timeout.signal]) });
  } finally {
    cancel();
  }
}

/** The facts that each judge gets. The number is drawn from the seed, the task, the place and exactly what is judged. */
export const sharedFacts = (
  { seed = 0 }: Controller,
  { author, digest, taskId }: Pick<MonitoredAction, "author" | "digest" | "taskId">,
  place: string,
): { readonly author: MonitoredAction["author"]; readonly digest: string; readonly chance: number } => ({
  author,
  digest,
  chance: Number.parseInt(digestOf("chance", { seed, taskId, place, digest }).slice(0, 12), 16) / 16 ** 12,
});

/** The place of a decision about a response, the nth that was sampled for its request. */
export const sampleAt = (n: number): string => `sample ${n}`;

/** The place of a decision about a call or its result: the part of its id that the model gave, without the time. */
export const callAt = (callId: string): string => callId.slice(callId.indexOf("/") + 1);

/** The decision of a judge. One that throws denies, and changes no state. */
export function decided<Verdict>(
  state: Json,
  judge: () => Decision<Verdict, Json> | undefined,
  verdicts: { readonly none: Verdict; readonly failed: Verdict },
): Decision<Verdict, Json> & { readonly error?: string } {
  try {
    return judge() ?? { verdict: verdicts.none, state };
  } catch (error) {
    return { verdict: verdicts.failed, state, error: formatError(error) };
  }
}

/** The finding of an auditor, or the action of the trusted model; undefined if it fails or is late. @throws the reason of `cancelled` */
export async function attempt<T>(
  { cancelled, ended }: DecisionSignals,
  work: () => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await unlessAborted(ended, async () => work());
  } catch (error) {
    if (cancelled.aborted) throw error;
    return undefined;
  }
}

/** The finding of an auditor; undefined for any other value. @throws the reason of `cancelled` */
export async function audited(
  signals: DecisionSignals,
  work: () => unknown,
): Promise<ControlRecord["audit"]> {
  const found = await attempt(signals, work);
  return found === "attack" || found === "harmless" ? found : undefined;
}

/** The record of a decision. */
export const recordOf = (
  { point, author, digest }: MonitoredAction,
  verdict: string,
  { scores, rationales, dollars }: Measured,
  more: Pick<ControlRecord, "callId" | "audit"> & {
    readonly dollars?: number | undefined;
    readonly error?: string | undefined;
  },
): ControlRecord => {
  const cost = dollars + (more.dollars ?? 0);
  return {
    point,
    ...(more.callId !== undefined && { callId: more.callId }),
    author,
    digest,
    verdict,
    scores,
    ...(Object.keys(rationales).length > 0 && { rationales }),
    ...(more.audit !== undefined && { audit: more.audit }),
    ...(more.error !== undefined && { error: more.error }),
    ...(cost > 0 && { dollars: cost }),
  };
};
