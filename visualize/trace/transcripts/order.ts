import type { TranscriptCall, TranscriptEntry } from "./transcript.ts";

/** An entry, or the time at which a tool call begins to wait for a person. */
export type Step =
  | TranscriptEntry
  | { readonly kind: "ask"; readonly at: number; readonly call: TranscriptCall };

/**
 * The entries and the asks of their tool calls, in an order in which an open ask is the last message (L8). A call begins
 * to wait once all that comes before its result has happened. A record that no reader interprets comes after the answer
 * to an ask, or before an ask without one.
 */
export function stepsOf(entries: readonly TranscriptEntry[]): readonly Step[] {
  const waiting = waitingCalls(entries);
  const steps: Step[] = [];
  let raws: Step[] = [];
  const addRaws = (): void => {
    for (const raw of raws) steps.push(raw);
    raws = [];
  };
  for (const entry of entries) {
    if (entry.kind === "raw") {
      raws.push(entry);
      continue;
    }
    const call = "callId" in entry ? waiting.get(entry.callId) : undefined;
    if (call === undefined && steps.at(-1)?.kind !== "turn.ended") addRaws();
    if (call !== undefined) steps.push({ kind: "ask", at: steps.at(-1)?.at ?? entry.at, call });
    if (call !== undefined) waiting.delete(call.id);
    steps.push(entry.kind === "call" && waiting.has(entry.id) ? { ...entry, asks: true } : entry);
    if (entry.kind !== "turn.ended") addRaws();
  }
  const [open] = waiting.values();
  return withEnd(steps, raws, open);
}

/** The end of a session: a turn that ended, a call that still waits, or neither. */
function withEnd(
  steps: readonly Step[],
  raws: readonly Step[],
  open: TranscriptCall | undefined,
): readonly Step[] {
  const end = steps.at(-1);
  if (end?.kind === "turn.ended") return [...steps.slice(0, -1), ...raws, end];
  const at = raws.at(-1)?.at ?? end?.at ?? 0;
  return [...steps, ...raws, ...(open === undefined ? [] : [{ kind: "ask", at, call: open } as const])];
}

/** The calls that wait for a person: calls that ask, and calls that a person denied. */
function waitingCalls(entries: readonly TranscriptEntry[]): Map<string, TranscriptCall> {
  const denied = new Set<string>();
  for (const entry of entries)
    if (entry.kind === "result" && entry.outcome === "denied" && entry.by === "person")
      denied.add(entry.callId);
  const calls = entries.filter((entry) => entry.kind === "call");
  return new Map(
    calls.filter(({ id, asks }) => asks === true || denied.has(id)).map((call) => [call.id, call] as const),
  );
}
