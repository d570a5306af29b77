import { z } from "zod";
import type { AskType } from "../../machines/message/asks.ts";
import { DEFAULT_MODE } from "../../machines/task/mode.ts";
import type { Usage } from "../../machines/task/task.events.ts";
import { JOURNAL_VERSION } from "../../wire/journal/record.ts";
import { decodeLine } from "../journal/line.ts";
import { isAtAsk, type RecordedAsk, recordedAsk } from "./recorded-ask.ts";
import type { LastMessage } from "./summary.ts";

/** Facts from the end of a journal. */
export interface JournalEnd {
  /** The last valid record and its time, in ms since the epoch. */
  readonly last?: { readonly seq: number; readonly at: number };
  /** State after the last commit, as a dotted path. */
  readonly state?: string;
  /** The last message, where the state is one that an ask leads to: its ask, and the event that appended it. */
  readonly message?: LastMessage;
  /** The `ts` of the ask that was withdrawn in the record of an ask to resume, and that ask once it is found. */
  readonly withdrawn?: number;
  readonly stopped?: RecordedAsk;
  /** Usage of the task. */
  readonly total?: Usage;
  /** Slug of its mode. */
  readonly mode?: string;
  /** Requests since a person last extended its limits. */
  readonly requests?: number;
  /** The unusable end of the journal. */
  readonly problem?: { readonly kind: "torn" | "damaged"; readonly reason: string };
}

/** Whether earlier records cannot add facts. */
export const isComplete = (end: JournalEnd): boolean =>
  end.last !== undefined &&
  end.state !== undefined &&
  end.total !== undefined &&
  !lacksMessage(end) &&
  !lacksStopped(end);

/** Whether the task was interrupted at an ask that is not found yet. */
const lacksStopped = ({ withdrawn, stopped }: JournalEnd): boolean =>
  withdrawn !== undefined && stopped === undefined;

/** Whether the last message decides what the task waits for or rests on, and is not found yet. */
const lacksMessage = ({ state, message }: JournalEnd): boolean =>
  state !== undefined && message === undefined && isAtAsk(state);

const NEWLINE = 0x0a;

/**
 * Parse the last bytes of a journal backwards, until the facts are complete. Use an incomplete result only if these are
 * all bytes of the journal: otherwise the first line is partial.
 */
export function parseEnd(chunk: Buffer): JournalEnd {
  let end: JournalEnd = {};
  let expected: number | undefined;
  /** The newest texts of amended messages, by `ts`: the text of a streamed ask is complete in a later record. */
  const texts = new Map<number, string>();
  let to = chunk.length;
  if (to > 0 && chunk[to - 1] !== NEWLINE) {
    const newline = chunk.lastIndexOf(NEWLINE);
    end = { problem: { kind: "torn", reason: "its last line has no newline" } };
    to = newline + 1;
  }
  while (to > 0 && !isComplete(end)) {
    const from = to < 2 ? 0 : chunk.lastIndexOf(NEWLINE, to - 2) + 1;
    const line = chunk.subarray(from, to - 1);
    to = from;
    const found = recordIn(line, end, expected);
    if (found === "header") break;
    if (found.record === undefined) {
      // Records after an invalid line are not used: discard their facts.
      const kind = end.last === undefined ? (end.problem?.kind ?? "torn") : "damaged";
      end = { problem: { kind, reason: end.problem?.reason ?? found.reason } };
      expected = undefined;
      texts.clear();
      continue;
    }
    expected = found.record.seq - 1;
    end = withRecord(end, found.record, texts);
  }
  return end;
}

const tailSchema = z.object({
  seq: z.number(),
  kind: z.enum(["header", "version", "commit", "effect.end"]),
  at: z.number().optional(),
  version: z.number().optional(),
  after: z.string().optional(),
  facts: z
    .object({
      total: z
        .object({
          tokensIn: z.number(),
          tokensOut: z.number(),
          cacheWrites: z.number(),
          cacheReads: z.number(),
          cost: z.number().nullable(),
        })
        .optional(),
      mode: z.string().optional(),
      counters: z.object({ requests: z.number() }).optional(),
    })
    .optional(),
  cause: z.object({ type: z.string(), origin: z.string().optional() }).optional(),
  log: z
    .array(
      z.looseObject({
        message: z.unknown().optional(),
        messages: z.unknown().optional(),
        ts: z.number().optional(),
        patch: z.object({ text: z.string().nullish(), closing: z.string().optional() }).optional(),
      }),
    )
    .optional(),
});
type TailRecord = z.output<typeof tailSchema>;

const FACTS = Buffer.from('"facts":');
const VERSION = Buffer.from('"kind":"version"');

type Found =
  | "header"
  | { readonly record: TailRecord }
  | { readonly record?: undefined; readonly reason: string };

function recordIn(line: Buffer, end: JournalEnd, expected: number | undefined): Found {
  // Only the usage and the mode are still missing.
  const isSkipped =
    expected !== undefined &&
    expected > 0 &&
    end.state !== undefined &&
    !lacksMessage(end) &&
    !lacksStopped(end);
  if (isSkipped && !line.includes(FACTS) && !line.includes(VERSION))
    return { record: { seq: expected, kind: "effect.end" } };
  const decoded = decodeLine(line);
  if (!decoded.whole) return { reason: decoded.reason };
  const parsed = tailSchema.safeParse(decoded.json);
  if (!parsed.success) return { reason: "it is whole but not a record of this version" };
  const { seq, kind, version = 0 } = parsed.data;
  if (kind === "header") return "header";
  if (version > JOURNAL_VERSION)
    return { reason: `expected format version ${JOURNAL_VERSION} or earlier, found ${version}` };
  if (expected !== undefined && seq !== expected)
    return { reason: `expected record ${expected}, found record ${seq}` };
  return { record: parsed.data };
}

function withRecord(end: JournalEnd, record: TailRecord, texts: Map<number, string>): JournalEnd {
  const { seq, at, kind, after, facts } = record;
  const state = end.state ?? (kind === "commit" ? after : undefined);
  const total = end.total ?? facts?.total;
  // The total is recorded with the mode, if that is not the default one.
  const mode = end.mode ?? facts?.mode ?? (total === undefined ? undefined : DEFAULT_MODE);
  const requests = end.requests ?? facts?.counters?.requests;
  const next: JournalEnd = {
    ...end,
    ...(end.last === undefined && at !== undefined && { last: { seq, at } }),
    ...(state !== undefined && { state }),
    ...(total !== undefined && { total }),
    ...(mode !== undefined && { mode }),
    ...(requests !== undefined && { requests }),
  };
  if (lacksStopped(next)) return withStopped(next, record, texts);
  const message = lacksMessage(next) ? lastMessageIn(record, texts) : undefined;
  if (message === undefined) return next;
  const withdrawn = message.ask?.kind === RESUME ? withdrawnIn(record) : undefined;
  return { ...next, message, ...(withdrawn !== undefined && { withdrawn }) };
}

const RESUME: AskType = "resume_task";

const withdrawnIn = ({ log = [] }: TailRecord): number | undefined =>
  log.find(({ patch }) => patch?.closing === "withdrawn")?.ts;

/** The end with the ask that was withdrawn, if the record appends it. */
function withStopped(end: JournalEnd, record: TailRecord, texts: Map<number, string>): JournalEnd {
  const { message } =
    record.log?.find(({ message: each }) => recordedAsk(each)?.askId === end.withdrawn) ?? {};
  lastMessageIn(record, texts);
  const stopped = recordedAsk(message, texts);
  return stopped === undefined ? end : { ...end, stopped };
}

const messagesSchema = z.array(z.unknown());

/** The last message that a record appends, with its newest text. */
function lastMessageIn({ log = [], cause }: TailRecord, texts: Map<number, string>): LastMessage | undefined {
  for (const { message, messages, ts, patch } of log.toReversed()) {
    const { text } = patch ?? {};
    if (ts !== undefined && typeof text === "string" && !texts.has(ts)) texts.set(ts, text);
    const last = messagesSchema.safeParse(messages).data?.at(-1) ?? message;
    if (last === undefined) continue;
    return { ask: recordedAsk(last, texts), cause };
  }
  return undefined;
}
