import type { AskHandle } from "../../actors/ask/open-asks.ts";
import { frozen } from "../../machines/list/frozen.ts";
import type { Ask, AskFacts } from "./ask.ts";
import type { TaskSnapshot } from "./task-view.ts";

/** The list that an ask stands in: who holds the ask holds its list. */
const lists = new WeakMap<Ask, readonly Ask[]>();

/**
 * The typed asks of the open handles. An ask of `known` that is still open is the same object, and the list is the same
 * while its asks are.
 *
 * @param create Creates the ask of a handle.
 */
export function askList(
  handles: readonly AskHandle[],
  known: readonly Ask[] | undefined,
  create: (handle: AskHandle) => Ask,
): readonly Ask[] {
  const asks = frozen(handles.map((handle) => known?.find((ask) => isOf(ask, handle)) ?? create(handle)));
  if (known?.length === asks.length && asks.every((ask, index) => ask === known[index])) return known;
  for (const ask of asks) lists.set(ask, asks);
  return asks;
}

/** A completion that was accepted or declined has the same id, and accepts less. */
const isOf = ({ id, accepts }: Ask, handle: AskHandle): boolean =>
  id === handle.askId && accepts.length === handle.accepts.length;

/** The facts of the machine about an open ask, besides its message. */
export function askFacts(
  { turn, result, log }: TaskSnapshot["context"],
  { ask, askId, callId }: AskHandle,
): AskFacts {
  const last = log.at(-1);
  if (last?.ts === askId && last.errorCode !== undefined) return { errorCode: last.errorCode };
  if (last?.ts === askId && ask === "resume_task" && last.reason !== undefined)
    return { reason: last.reason };
  if (ask === "completion_result") return result === undefined ? {} : { result };
  const call = turn.calls.find((one) => one.callId === callId);
  if (call?.phase !== "asking") return {};
  const { name, input, review } = call;
  const tool = { name, effect: review.effect, input: structuredClone(input) };
  const reason = review.verdict.kind === "ask" ? review.verdict.because : undefined;
  return { tool, ...(reason !== undefined && { reason }), ...review.facts };
}
