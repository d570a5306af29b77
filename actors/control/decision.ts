import type { CallFacts, ProposedCall } from "../../control/facts.ts";
import type { MonitoredAction } from "../../control/runtime/action.ts";
import type { Controller } from "../../control/runtime/controller.ts";
import { NOT_APPROVED } from "../../control/runtime/ending.ts";
import type { Decision } from "../../control/verdict.ts";
import type { AssistantBlock } from "../../machines/conversation/entry.ts";
import type { ControlRecord, Json } from "../../machines/tool-call/control.ts";
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
  {
    controller: { timeoutMs = TIMEOUT_MS },
    clock,
    signal: cancelled,
  }: { readonly controller: Controller; readonly clock: Clock; readonly signal: AbortSignal },
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

/** The calls of a response. */
export const proposedIn = (content: readonly AssistantBlock[]): readonly ProposedCall[] =>
  content.flatMap((block) => (block.type === "tool_use" ? [{ tool: block.name, input: block.input }] : []));

/** The facts that each judge gets. */
export type SharedFacts = Pick<CallFacts, "author" | "digest" | "chance">;

/** The facts of a decision. The number is drawn from the seed, the task, the place and exactly what is judged. */
export const sharedFacts = (
  { seed = 0 }: Controller,
  { author, digest, taskId }: Pick<MonitoredAction, "author" | "digest" | "taskId">,
  place: string,
): SharedFacts => ({
  author,
  digest,
  chance: Number.parseInt(digestOf("chance", { seed, taskId, place, digest }).slice(0, 12), 16) / 16 ** 12,
});

/** The place of a decision about a response, the nth that was sampled for its request. */
export const sampleAt = (n: number): string => `sample ${n}`;

/** The place of a decision about a call or its result: the part of its id that the model gave, without the time. */
export const callAt = (callId: string): string => callId.slice(callId.indexOf("/") + 1);

/** The verdicts that each point takes. */
const PASS = { kind: "pass" } as const;
export const DENIED = { kind: "deny", reason: NOT_APPROVED } as const;

/** A decision, with the error of a judge that failed. */
export interface Decided<Verdict> extends Decision<Verdict, Json> {
  readonly error?: string;
}

/** The decision of a judge. Without a judge it passes; one that throws denies, and changes no state. */
export function decided<Verdict>(
  state: Json,
  judge: () => Decision<Verdict, Json> | undefined,
): Decided<Verdict | typeof PASS | typeof DENIED> {
  try {
    return judge() ?? { verdict: PASS, state };
  } catch (error) {
    return { verdict: DENIED, state, error: formatError(error) };
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

/** The parts of a record that may be absent. */
type More = { readonly [K in "callId" | "audit" | "error" | "dollars"]?: ControlRecord[K] | undefined };

/** The record of a decision. `dollars`: the cost of the audit or the trusted model, without the monitors. */
export const recordOf = (
  { point, author, digest }: MonitoredAction,
  verdict: string,
  { scores, rationales, dollars: measured }: Measured,
  { callId, audit, error, dollars = 0 }: More = {},
): ControlRecord => ({
  point,
  ...(callId !== undefined && { callId }),
  author,
  digest,
  verdict,
  scores,
  ...(Object.keys(rationales).length > 0 && { rationales }),
  ...(audit !== undefined && { audit }),
  ...(error !== undefined && { error }),
  ...(measured + dollars > 0 && { dollars: measured + dollars }),
});
