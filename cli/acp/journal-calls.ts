import type { RecordedCall } from "../../machines/tool-call/call.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import { readJournal } from "../../store/journal/reader.ts";

/**
 * The calls of a task by their ids: each as its journal has it last. Takes no lock.
 *
 * @throws JournalError as `readJournal` does
 */
export async function readCalls(
  journal: Pick<JournalDriver, "path" | "read">,
): Promise<ReadonlyMap<string, RecordedCall>> {
  const calls = new Map<string, RecordedCall>();
  // The task is open: its journal has no torn end any more.
  for await (const record of readJournal(journal, { onTail: () => undefined }))
    if (record.kind === "commit") for (const call of record.calls) calls.set(call.callId, call);
  return calls;
}
