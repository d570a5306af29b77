import { DEFAULT_MODE } from "../../machines/task/mode.ts";
import { NO_USAGE } from "../../machines/task/request.ts";
import type { Usage } from "../../machines/task/task.events.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import type { HeaderRecord } from "../../wire/journal/record.ts";
import { replayJournal } from "../recovery/replay.ts";
import { type CheckedPart, checkJournal, NOTHING_CHECKED } from "./journal-check.ts";
import type { JournalEnds } from "./journal-ends.ts";
import { asSettled, headerFields, type StoredFacts, stateFields, type TaskSummary } from "./summary.ts";

/** A journal to summarize, wherever it is stored. */
export interface SummarizedJournal {
  /** Size in bytes. */
  readonly size: number;
  /** When it was created and last written, in ms since the epoch. */
  readonly createdAt: number;
  readonly changedAt: number;
  readonly ends: JournalEnds;
  /** Read the whole journal. */
  readonly driver: Pick<JournalDriver, "path" | "read">;
  /** Read from a byte on, up to `size`. */
  chunks(from: number): AsyncIterable<Uint8Array>;
}

/** A summary without the stored facts, with the recorded state, and the beginning of the journal that was checked. */
export interface CheckedSummary {
  readonly summary: TaskSummary;
  readonly checked: CheckedPart;
}

/**
 * Summarize a task from both ends of its journal, and check the lines after the part that is known to be whole.
 * @throws errors of reading
 */
export async function summarizeJournal(
  id: string,
  journal: SummarizedJournal,
  known: CheckedPart = NOTHING_CHECKED,
): Promise<CheckedSummary> {
  const { size, ends } = journal;
  if (ends.header === undefined)
    return { summary: summarizeUnreadable(id, journal, ends.reason), checked: NOTHING_CHECKED };
  const withoutModel = await summarize(id, journal, ends);
  // A journal that shrank, or was written without growing, was replaced or damaged.
  const from = known.bytes < size ? known : NOTHING_CHECKED;
  const { checked, damage } = await checkJournal(journal.chunks(from.bytes), from);
  const summary = { ...withoutModel, ...(checked.model !== undefined && { model: checked.model }) };
  if (damage === undefined || summary.problem?.kind === "damaged") return { summary, checked };
  const problem = { kind: "damaged", reason: damage } as const;
  return { summary: { ...summary, lastSeq: checked.lines - 1, problem }, checked };
}

/** Add the facts that are not in the journal, and settle a task that nobody runs. */
export function withStoredFacts(summary: TaskSummary, { name, heldBy }: StoredFacts): TaskSummary {
  const { problem, ...others } = summary;
  if (problem?.kind === "unreadable") return asSettled(summary);
  return asSettled({
    ...others,
    ...(name !== undefined && { title: name }),
    ...(heldBy !== undefined && { heldBy, isInterrupted: false }),
    // While a process writes, the last line may be incomplete.
    ...(problem !== undefined && (heldBy === undefined || problem.kind !== "torn") && { problem }),
  });
}

type Readable = Extract<JournalEnds, { readonly prompt: string }>;

async function summarize(
  id: string,
  { size, driver }: SummarizedJournal,
  { header, prompt, end }: Readable,
): Promise<TaskSummary> {
  const { last, state, message = {}, stopped, requests, problem } = end;
  return {
    id,
    title: header.title ?? prompt,
    ...headerFields(header),
    createdAt: header.createdAt,
    // The records of a fork are older than the fork.
    updatedAt: Math.max(last?.at ?? 0, header.createdAt),
    ...stateFields(state ?? "no_task", message, undefined),
    ...(end.total ?? (await replayTotal(header, driver))),
    mode: end.mode ?? DEFAULT_MODE,
    ...(stopped !== undefined && { stoppedAsk: { kind: stopped.kind, text: stopped.text } }),
    ...(requests !== undefined && { requests }),
    bytes: size,
    lastSeq: last?.seq ?? 0,
    ...(problem !== undefined && { problem }),
  };
}

function summarizeUnreadable(
  id: string,
  { size, createdAt, changedAt }: SummarizedJournal,
  reason: string,
): TaskSummary {
  return {
    id,
    title: "",
    createdAt,
    updatedAt: changedAt,
    ...stateFields("no_task", {}, undefined),
    ...NO_USAGE,
    bytes: size,
    lastSeq: 0,
    problem: { kind: "unreadable", reason },
  };
}

/** Replay the usage of a journal of version 1, where it is only in the messages. */
async function replayTotal(
  { version }: HeaderRecord,
  driver: Pick<JournalDriver, "path" | "read">,
): Promise<Usage> {
  if (version > 1) return NO_USAGE;
  const replayed = await replayJournal(driver);
  return replayed?.recorded.facts.total ?? NO_USAGE;
}
