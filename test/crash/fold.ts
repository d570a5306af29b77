import { z } from "zod";
import { detectAgentState } from "../../machines/message/detect.ts";
import type { PlainEvent, PlainRecord } from "./records.ts";

const messageSchema = z.looseObject({
  ts: z.number(),
  type: z.enum(["ask", "say"]),
  ask: z.string().optional(),
  say: z.string().optional(),
  text: z.string().nullish(),
  partial: z.boolean().optional(),
  closing: z.string().optional(),
  callId: z.string().optional(),
});
export type PlainMessage = z.output<typeof messageSchema>;

export interface Folded {
  readonly messages: readonly PlainMessage[];
  /** The machine's state after the last commit. */
  readonly state: string;
  /** Violations of laws, with the record. */
  readonly broken: readonly string[];
}

/**
 * Fold the records of a journal to messages and check each commit (L1, L3, L4, L5, L8). The checks are independent of the
 * tested code, except for `detectAgentState`, which the machine never calls.
 */
export function fold(records: readonly PlainRecord[]): Folded {
  const messages: PlainMessage[] = [];
  const broken: string[] = [];
  let state = "no_task";
  for (const record of records) {
    if (record.kind !== "commit") continue;
    const report = (what: string): number => broken.push(`${what}, in record ${record.seq}`);
    for (const event of record.log) apply(messages, event, report);
    state = record.after ?? state;
    checkState(messages, state, report);
  }
  return { messages, state, broken };
}

type Report = (what: string) => void;

function apply(messages: PlainMessage[], event: PlainEvent, report: Report): void {
  const last = messages.at(-1);
  if (event.type === "message.appended") {
    const message = messageSchema.parse(event.message);
    if (last !== undefined && message.ts <= last.ts)
      report(`L5: message ${message.ts} follows message ${last.ts}`);
    if (last !== undefined && isOpenAsk(last)) report(`L8: a message follows the open ask ${last.ask}`);
    if (last?.partial === true) report("L3: a message follows a partial one");
    messages.push(message);
    return;
  }
  const at = messages.findIndex(({ ts }) => ts === event.ts);
  const message = messages[at];
  if (event.type !== "message.amended" || message === undefined) {
    report(`L2: unexpected ${event.type} of message ${event.ts}`);
    return;
  }
  const keys = Object.keys(event.patch ?? {});
  if (keys.some((key) => ["ts", "type", "ask", "say"].includes(key)))
    report(`L5: message ${message.ts} changed its kind`);
  if (!mayChange(message, at === messages.length - 1, keys))
    report(`L5: ${nameOf(message)} changed its ${keys.join()}`);
  messages[at] = messageSchema.parse({ ...message, ...event.patch });
}

function mayChange(message: PlainMessage, isLast: boolean, keys: readonly string[]): boolean {
  if (isLast && message.partial === true) return true;
  if (isOpenRequest(message)) return keys.join() === "text";
  if (!isOpenAsk(message)) return false;
  return message.ask === "command_output" ? isLast : keys.every((key) => MARKS.has(key));
}
const MARKS = new Set(["closing", "isAnswered"]);

function checkState(messages: readonly PlainMessage[], path: string, report: Report): void {
  const [state = ""] = path.split(".");
  const detected = detectAgentState(messages.map(plain)).state;
  if (detected !== state) report(`L1: the state is ${state}, the log means ${detected}`);
  const partial = messages.filter((message) => message.partial === true);
  if (
    partial.length > 1 ||
    (partial.length === 1 && (messages.at(-1) !== partial[0] || state !== "streaming"))
  )
    report(`L3: ${partial.length} messages are partial in ${path}`);
  const requests = messages.filter(({ say }) => say === "api_req_started");
  const open = requests.filter(isOpenRequest);
  if (open.length !== (state === "streaming" ? 1 : 0))
    report(`L4: ${open.length} requests are open in ${path}`);
  if (open.length === 1 && open[0] !== requests.at(-1)) report("L4: the open request is not the newest");
  const asks = messages.filter(isOpenAsk);
  if (asks.length > 1 || (asks.length === 1 && asks[0] !== messages.at(-1)))
    report(`L8: ${asks.length} asks are open, or one that is not last`);
}

/** The message without undefined fields. */
const plain = ({ ts, type, ask, say, text, partial }: PlainMessage) => ({
  ts,
  type,
  ...(ask !== undefined && { ask }),
  ...(say !== undefined && { say }),
  ...(text != null && { text }),
  ...(partial !== undefined && { partial }),
});

export const isOpenAsk = ({ type, closing }: PlainMessage): boolean =>
  type === "ask" && closing === undefined;

const textSchema = z.looseObject({ cost: z.unknown().optional() });

/** Whether the message is of a request without a cost yet. */
export function isOpenRequest({ say, text }: PlainMessage): boolean {
  return say === "api_req_started" && (!text || textSchema.parse(JSON.parse(text)).cost === undefined);
}

const nameOf = ({ ts, ask, say }: PlainMessage): string => `${ask ?? say} ${ts}`;
