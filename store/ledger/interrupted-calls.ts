import { modelName } from "../../machines/task/model-name.ts";
import type { RecordedCall } from "../../machines/tool-call/call.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import type { CommitRecord } from "../../wire/journal/record.ts";
import { readJournal } from "../journal/reader.ts";
import type { InterruptedCall } from "./entry.ts";

/** Effects of calls that change no file of the workspace. */
const CHANGES_NOTHING: ReadonlySet<string> = new Set(["reads", "delegates", "asks", "none"]);

/**
 * The calls of a task that started and have no known end: the process ended while they ran, so that no record has what they
 * wrote.
 *
 * @throws JournalError as `readJournal` does
 */
export async function interruptedCalls(
  task: string,
  driver: Pick<JournalDriver, "path" | "read">,
): Promise<readonly InterruptedCall[]> {
  const open = new Map<string, InterruptedCall>();
  let model: string | null = null;
  for await (const record of readJournal(driver, { onTail })) {
    if (record.kind === "effect.end" && record.content !== "uncertain") open.delete(record.callId);
    if (record.kind !== "commit") continue;
    model = modelIn(record) ?? model;
    for (const call of record.calls) {
      if (call.phase === "running" && mayWrite(call))
        open.set(call.callId, { task, sequence: record.seq, tool: call.name, model });
      else if ("outcome" in call && !["interrupted", "uncertain"].includes(call.outcome.kind))
        open.delete(call.callId);
    }
  }
  return [...open.values()];
}

function modelIn({ facts }: CommitRecord): string | undefined {
  return facts?.model && modelName(facts.model);
}

/** The end that a killed process left open has no call that is known. */
const onTail = (): void => {};

const mayWrite = (call: Extract<RecordedCall, { phase: "running" | "stopped" }>): boolean =>
  !CHANGES_NOTHING.has(call.facts?.effect ?? "");
