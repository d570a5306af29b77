import { z } from "zod";
import type { History, Requested, Seen, Sent } from "./history.ts";
import { effectsIn, type Journal, readJournal, resultOf } from "./journal.ts";
import { type CheckedRecord, canonical } from "./record.ts";
import { checkSubtasks } from "./subtasks.ts";

/** The rules that a history keeps. */
export type Rule =
  /** The rows of a journal follow each other, and each is a whole record. */
  | "journal"
  /** A client saw each record once, in order and to the end, as the journal has it. */
  | "stream"
  /** Each command of an inbox was taken once, in order. */
  | "command"
  /** Each text that a task accepted is in its conversation once. */
  | "message"
  /** No effect ran twice; each is of a recorded call, and each recorded success has its effect. */
  | "effect"
  /** Each question was answered once, or withdrawn. */
  | "ask"
  /** Each delegated call has one subtask, and each subtask its call, which has its result. */
  | "subtask"
  /** Each task ended. */
  | "end";

/** A part of a history that breaks a rule. */
export interface Violation {
  readonly rule: Rule;
  readonly task: string;
  readonly reason: string;
}

/** A task, and what clients saw of it and sent to it. */
interface Given extends Journal {
  /** The task and its subtasks. */
  readonly family: readonly Journal[];
  /** Of the task and its subtasks. */
  readonly effects: readonly string[];
  readonly sent: readonly Sent[];
  readonly requested: readonly Requested[];
  readonly seen: readonly Seen[];
}

type Check = (given: Given) => Iterable<string>;

/**
 * Check a history. The checker shares no code with the product: it knows the format of the journal, the file of the effects, what
 * clients sent and what they saw.
 */
export function check(history: History): readonly Violation[] {
  const journals = history.tasks.map(readJournal);
  return [
    ...journals.flatMap((journal) => checkTask(journal, journals, history)),
    ...foreignEffects(history),
  ];
}

function checkTask(
  journal: Journal,
  journals: readonly Journal[],
  { effects, commands, requests, events }: History,
): readonly Violation[] {
  const { id } = journal.task;
  const given: Given = {
    ...journal,
    family: journals.filter(({ task, parent }) => task.id === id || parent?.rootId === id),
    effects: effects.flatMap((line) => (line.startsWith(`${id} `) ? [line.slice(id.length + 1)] : [])),
    sent: commands.filter((sent) => sent.task === id),
    requested: requests.filter((sent) => sent.task === id),
    seen: events.filter((event) => event.task === id),
  };
  const unreadable = journal.unreadable.map((reason) => ({ rule: "journal", task: id, reason }) as const);
  const rules = Object.entries(CHECKS) as readonly [Rule, Check][];
  return [
    ...unreadable,
    ...rules.flatMap(([rule, find]) => [...find(given)].map((reason) => ({ rule, task: id, reason }))),
  ];
}

const CHECKS: Readonly<Record<Rule, Check>> = {
  *journal({ task, records }) {
    let [next, bytes] = [0, 0];
    for (const { n, from, content } of task.rows) {
      if (n !== next) yield `expected row ${next}, found row ${n}`;
      if (from !== bytes) yield `row ${n}: expected it to begin at byte ${bytes}, found ${from}`;
      if (content !== "" && content.indexOf("\n") !== content.length - 1)
        yield `row ${n} is not one whole line`;
      next = n + 1;
      bytes = from + Buffer.byteLength(content);
    }
    if (records[0]?.kind !== "header") yield "expected a header as the first record";
    for (const [index, { seq }] of records.entries())
      if (seq !== index) yield `expected record ${index}, found record ${seq}`;
  },

  *stream({ seen, json }) {
    let next = 0;
    for (const { data, id } of seen) {
      const seq = Number(data.record.seq);
      if (isGrowth(id) || isRepeated(data.record, next)) continue;
      // It stands for several that are not written yet. A client goes on after them.
      if (data.durable !== false) {
        if (seq !== next) yield `expected record ${next}, a client saw record ${seq} (event ${id})`;
        if (!isSeenAs(data.record, json[seq]))
          yield `record ${seq}: the journal has another one than a client saw: ${canonical(json[seq])}`;
      }
      next = seq + 1;
    }
    if (next < json.length) yield `clients saw ${next} records of ${json.length}`;
  },

  *command({ task, records, sent, requested }) {
    const taken = records.flatMap(({ inbox }) => inbox ?? []);
    const applied = taken.filter(({ refused }) => refused === undefined);
    for (const [index, { position }] of taken.entries())
      if (position !== index + 1)
        yield `expected command ${index + 1} to be taken, found command ${position}`;
    for (const { id, position } of sent) {
      if (sent.some((other) => other.id === id && other.position !== position))
        yield `command ${id} has more than one position`;
      if (sent.some((other) => other.id !== id && other.position === position))
        yield `position ${position} was given to more than one command`;
      if (!taken.some((one) => one.position === position)) yield `command ${position} was never taken`;
    }
    // A server put the start of a task into its inbox, again where it got no answer: then it is refused.
    const count = sent.length + requested.filter(({ command }) => command.kind === "start").length;
    if (applied.length > count) yield `${count} commands were sent, ${applied.length} applied`;
    if (task.waiting > 0) yield `${task.waiting} commands still wait`;
  },

  *message({ records, sent, requested }) {
    const texts = records
      .flatMap(({ conversation }) => conversation)
      .filter(({ entry }) => entry?.role !== "assistant")
      .map((event) => JSON.stringify(event));
    const count = (text: string): number => texts.join("\n").split(text).length - 1;
    for (const { command, position } of sent) {
      const text = textOf(command);
      if (text === undefined) continue;
      const expected = isRefused(records, position) ? 0 : 1;
      if (count(text) !== expected)
        yield `the text of command ${position} is in the conversation ${count(text)} times instead of ${expected}`;
    }
    const waiting = JSON.stringify(records.findLast(({ queue }) => queue !== undefined)?.queue ?? []);
    for (const { command, outcome } of requested) {
      const text = textOf(command);
      // Whether an answer counts is up to the rule of asks.
      if (text === undefined || command.kind === "answer") continue;
      const times = count(text) + waiting.split(text).length - 1;
      if (!TIMES[outcome].includes(times))
        yield `the text "${text}" of a request, ${outcome}, is there ${times} times`;
    }
  },

  *effect({ family, parent, effects }) {
    if (parent !== undefined) return;
    const { started, done } = effectsIn(family);
    for (const line of new Set(effects)) {
      const count = effects.filter((other) => other === line).length;
      if (count > 1) yield `effect ${line} ran ${count} times`;
      if (!started.has(line)) yield `effect ${line} ran without a recorded call`;
    }
    for (const line of done)
      if (!effects.includes(line)) yield `effect ${line} is recorded as done, and never ran`;
  },

  *ask({ records, sent, requested }) {
    const answers = records.filter(({ cause }) => cause?.type === "ask.answered");
    for (const { cause, seq } of answers)
      if (answers.some((other) => other.seq !== seq && other.cause?.askId === cause?.askId))
        yield `ask ${cause?.askId} was answered more than once`;
    for (const askId of questionsIn(records)) {
      const answer = answers.find(({ cause }) => cause?.askId === askId);
      const isWithdrawn = records.some(({ log }) =>
        log.some(({ ts, patch }) => ts === askId && patch?.closing === "withdrawn"),
      );
      if ((answer !== undefined) === isWithdrawn)
        yield `ask ${askId} was ${isWithdrawn ? "answered and withdrawn" : "neither answered nor withdrawn"}`;
      const { inbox } = answer ?? {};
      const command =
        inbox === undefined
          ? requested.find((one) => one.command.kind === "answer" && one.command.askId === askId)?.command
          : sent.find(({ position }) => position === inbox.position)?.command;
      if (answer !== undefined && (command?.kind !== "answer" || command.askId !== askId))
        yield `ask ${askId} was answered without a command`;
    }
  },

  subtask: checkSubtasks,

  *end({ task, records, parent, sent }) {
    if (task.owner !== null) yield `worker ${task.owner} still owns it`;
    const after = records.findLast((record) => record.after !== undefined)?.after ?? "";
    // A subtask that was created last need not have begun.
    const hasBegun = parent === undefined || records.some(({ kind }) => kind === "commit");
    if (hasBegun && !/^(idle|resumable)\b/.test(after)) yield `it is in state ${after}`;
    const isCancelled = sent.some(
      ({ command, position }) => command.kind === "cancel" && !isRefused(records, position),
    );
    // The rule of subtasks says what a subtask must do.
    if (isCancelled || parent !== undefined) return;
    if (resultOf(records) !== "Done.") yield "it has not completed";
    else if (!after.startsWith("idle")) yield `it completed, and is in state ${after}`;
  },
};

/** Whether an event has text since the last record: the third number of its id counts such events. */
const isGrowth = (id: string): boolean => !["0", undefined].includes(id.split(".")[2]);

/** Whether a record stands for all text since the last one, again. */
const isRepeated = ({ seq, kind, cause }: Seen["data"]["record"], next: number): boolean =>
  kind === "commit" && cause === undefined && Number(seq) < next;

const Cause = z.object({ cause: z.object({ type: z.string() }).optional() });

/** Whether a client may see a record like this. Text may come in other pieces, and no event has a command that changed nothing. */
function isSeenAs(seen: unknown, record: unknown): boolean {
  const { data } = Cause.safeParse(record);
  if (data === undefined) return false;
  const type = Cause.parse(seen).cause?.type;
  if (data.cause?.type === "llm.text.delta") return type === "llm.text.delta";
  return canonical(seen) === canonical(record) || (data.cause === undefined && "inbox" in Object(record));
}

/** How often the text of a request may be there. */
const TIMES: Readonly<Record<Requested["outcome"], readonly number[]>> = {
  accepted: [1],
  refused: [0],
  unknown: [0, 1],
};

/** Effects of tasks that the run does not have. */
function foreignEffects({ tasks, effects }: History): readonly Violation[] {
  return effects
    .map((line) => line.split(" ")[0] ?? "")
    .filter((id) => !tasks.some((task) => task.id === id))
    .map((task) => ({ rule: "effect", task, reason: "the run has no such task" }));
}

const textOf = (command: Sent["command"]): string | undefined =>
  command.kind === "answer" ? command.answer.text : command.kind === "cancel" ? undefined : command.text;

const isRefused = (records: readonly CheckedRecord[], position: number): boolean =>
  records.some(({ inbox }) => inbox?.position === position && inbox.refused !== undefined);

/** The questions that were open. */
const questionsIn = (records: readonly CheckedRecord[]): ReadonlySet<number> =>
  new Set(
    records.flatMap(({ calls }) =>
      calls.flatMap(({ phase, ask, row }) =>
        phase === "asking" && ask === "followup" && row !== undefined ? [row] : [],
      ),
    ),
  );
