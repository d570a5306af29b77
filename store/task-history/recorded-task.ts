import type { Conversation } from "../../machines/conversation/conversation.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { DEFAULT_MODE } from "../../machines/task/mode.ts";
import { modelName } from "../../machines/task/model-name.ts";
import { NO_USAGE } from "../../machines/task/request.ts";
import { settleRecorded } from "../../machines/task/settlement.ts";
import type { RecordedState } from "../../machines/task/task.context.ts";
import type { DurableFacts, QueuedMessage, Usage } from "../../machines/task/task.events.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import type { CommitRecord } from "../../wire/journal/record.ts";
import type { StateCause } from "../../wire/rest-reason.ts";
import { type JournalTail, readJournal } from "../journal/reader.ts";
import { replayJournal } from "../recovery/replay.ts";
import type { HistoryStore } from "./history-store.ts";
import { unknownTask } from "./lookup.ts";
import { isAtAsk, recordedAsk, stoppedAskIn } from "./recorded-ask.ts";
import { asSettled, headerFields, type LastMessage, stateFields, type TaskSummary } from "./summary.ts";
import { titleOf } from "./title.ts";

/** A message and the number of the record that appended it: fork there to continue from it. */
export interface RecordedMessage {
  readonly seq: number;
  readonly row: ClineMessage;
}

/** A task read from its journal. */
export interface RecordedTask extends TaskSummary {
  /** Its messages. If nobody runs it, it is at rest: as opening the task would settle it, with the ask to resume (L1). */
  readonly rows: readonly RecordedMessage[];
  readonly conversation: Conversation;
  /** Absent or null: its workspace has no intents. */
  readonly intent?: DurableFacts["intent"];
  /** Queued messages. */
  readonly queue: readonly QueuedMessage[];
  /** Usage of the whole task. */
  readonly total: Usage;
  /** The record with which opening would settle it, if it is not at rest and nobody runs it. It is not in the journal. */
  readonly settlement?: CommitRecord;
  /** The unusable end of the journal, if any. */
  readonly tail?: JournalTail;
}

/**
 * Read a task up to the last valid record. Takes no lock and writes nothing: the task may be running.
 *
 * @throws TaskHistoryError `TASK_UNKNOWN`, `ID_INVALID`, `HISTORY_IO`
 * @throws JournalError as `readJournal` does
 */
export async function readTask(store: HistoryStore, id: string): Promise<RecordedTask> {
  const bytes = await store.bytes(id);
  if (bytes === undefined) throw unknownTask(store, id);
  const driver = store.journal(id);
  const replayed = await replayJournal(driver);
  if (replayed === undefined) throw unknownTask(store, id);
  const { header, recorded, lastSeq, lastAt, state, tail } = replayed;
  const { heldBy, name } = await store.facts(id);
  const settlement = heldBy === undefined ? settleRecorded(id, recorded, lastAt) : undefined;
  const log = settlement?.log ?? recorded.log;
  const appended = await readAppended(driver, lastSeq);
  const rows = log.toArray().map((row) => ({ seq: appended.get(row.ts)?.seq ?? lastSeq, row }));
  const prompt = rows.find(({ row }) => row.say === "text")?.row.text ?? "";
  const total = recorded.facts.total ?? NO_USAGE;
  const stopped = stoppedAskIn(recorded.log);
  // While a process writes, the last line may be incomplete.
  const isDamaged = tail !== undefined && (heldBy === undefined || tail.kind === "damaged");
  return asSettled({
    id,
    title: name ?? header.title ?? titleOf(prompt),
    ...headerFields(header),
    createdAt: header.createdAt,
    updatedAt: Math.max(lastAt, header.createdAt),
    ...stateFields(state, isAtAsk(state) ? lastMessageOf(recorded, appended) : {}, heldBy),
    ...(stopped !== undefined && { stoppedAsk: stopped }),
    ...(heldBy !== undefined && { heldBy }),
    ...total,
    mode: recorded.facts.mode ?? DEFAULT_MODE,
    ...(recorded.facts.model && { model: modelName(recorded.facts.model) }),
    ...(recorded.facts.counters !== undefined && { requests: recorded.facts.counters.requests }),
    bytes,
    lastSeq,
    ...(isDamaged && { problem: { kind: tail.kind, reason: `line ${tail.line}: ${tail.reason}` }, tail }),
    rows,
    conversation: recorded.conversation,
    ...(recorded.facts.intent !== undefined && { intent: recorded.facts.intent }),
    queue: recorded.queue,
    total,
    ...(settlement !== undefined && {
      settlement: {
        seq: lastSeq + 1,
        kind: "commit" as const,
        at: lastAt,
        cause: { type: "task.recovered", at: lastAt },
        before: state,
        after: settlement.after,
        ...settlement.parts,
      },
    }),
  });
}

/** The record that appended a message, and the event that caused it. */
interface Appended {
  readonly seq: number;
  readonly cause?: StateCause;
}

/** The records that appended the messages, by `ts`. */
async function readAppended(driver: JournalDriver, lastSeq: number): Promise<ReadonlyMap<number, Appended>> {
  const appended = new Map<number, Appended>();
  for await (const record of readJournal(driver, { onTail: () => undefined })) {
    if (record.seq > lastSeq) break;
    if (record.kind !== "commit") continue;
    const { seq, cause } = record;
    for (const ts of timestampsAddedBy(record))
      appended.set(ts, { seq, ...(cause !== undefined && { cause }) });
  }
  return appended;
}

function lastMessageOf({ log }: RecordedState, appended: ReadonlyMap<number, Appended>): LastMessage {
  const last = log.at(-1);
  return last === undefined ? {} : { ask: recordedAsk(last), cause: appended.get(last.ts)?.cause };
}

function timestampsAddedBy(record: CommitRecord): readonly number[] {
  return record.log.flatMap((event) => {
    if (event.type === "message.appended") return [event.message.ts];
    return event.type === "log.replaced" ? event.messages.map(({ ts }) => ts) : [];
  });
}
