import type { CheckedTask, History, Seen, Sent } from "./history.ts";
import { type CheckedRecord, canonical, parseLine } from "./record.ts";

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
  /** Each task ended. */
  | "end";

/** A part of a history that breaks a rule. */
export interface Violation {
  readonly rule: Rule;
  readonly task: string;
  readonly reason: string;
}

/** A task with its records, and what clients saw of it and sent to it. */
interface Given {
  readonly task: CheckedTask;
  readonly records: readonly CheckedRecord[];
  /** The records as the journal has them. */
  readonly json: readonly unknown[];
  readonly effects: readonly string[];
  readonly sent: readonly Sent[];
  readonly seen: readonly Seen[];
}

type Check = (given: Given) => Iterable<string>;

/**
 * Check a history. The checker shares no code with the product: it knows the format of the journal, the file of the effects, what
 * clients sent and what they saw.
 */
export function check(history: History): readonly Violation[] {
  return [...history.tasks.flatMap((task) => checkTask(task, history)), ...foreignEffects(history)];
}

function checkTask(task: CheckedTask, { effects, commands, events }: History): readonly Violation[] {
  const lines = task.rows.filter(({ content }) => content !== "").map(({ content }) => parseLine(content));
  const parsed = lines.flatMap((line) => (line.ok ? [line] : []));
  const given: Given = {
    task,
    records: parsed.map(({ record }) => record),
    json: parsed.map(({ json }) => json),
    effects: effects.flatMap((line) =>
      line.startsWith(`${task.id} `) ? [line.slice(task.id.length + 1)] : [],
    ),
    sent: commands.filter((sent) => sent.task === task.id),
    seen: events.filter((event) => event.task === task.id),
  };
  const unreadable = lines.flatMap((line) =>
    line.ok ? [] : [{ rule: "journal", task: task.id, reason: line.reason } as const],
  );
  const rules = Object.entries(CHECKS) as readonly [Rule, Check][];
  return [
    ...unreadable,
    ...rules.flatMap(([rule, find]) => [...find(given)].map((reason) => ({ rule, task: task.id, reason }))),
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
      const { seq } = data.record;
      if (seq !== next) yield `expected record ${next}, a client saw record ${String(seq)} (event ${id})`;
      if (canonical(data.record) !== canonical(json[next]))
        yield `record ${next}: the journal has another one than a client saw`;
      next = typeof seq === "number" ? seq + 1 : next + 1;
    }
    if (next !== json.length) yield `clients saw ${next} records of ${json.length}`;
  },

  *command({ task, records, sent }) {
    const taken = records.flatMap(({ inbox }) => inbox ?? []);
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
    if (taken.length > sent.length) yield `${sent.length} commands were sent, ${taken.length} taken`;
    if (task.waiting > 0) yield `${task.waiting} commands still wait`;
  },

  *message({ records, sent }) {
    const texts = records
      .flatMap(({ conversation }) => conversation)
      .filter(({ entry }) => entry?.role !== "assistant")
      .map((event) => JSON.stringify(event));
    for (const { command, position } of sent) {
      const text = textOf(command);
      if (text === undefined) continue;
      const count = texts.join("\n").split(text).length - 1;
      const expected = isRefused(records, position) ? 0 : 1;
      if (count !== expected)
        yield `the text of command ${position} is in the conversation ${count} times instead of ${expected}`;
    }
  },

  *effect({ records, effects }) {
    const lineOf = new Map(toolUsesIn(records));
    const started = new Set<string>();
    const done = new Set<string>();
    for (const { name, toolUseId, phase, outcome } of records.flatMap(({ calls }) => calls)) {
      if (name !== "effect") continue;
      const line = lineOf.get(toolUseId) ?? "";
      if (phase === "running") started.add(line);
      if (outcome?.kind === "done") done.add(line);
    }
    for (const line of new Set(effects)) {
      const count = effects.filter((other) => other === line).length;
      if (count > 1) yield `effect ${line} ran ${count} times`;
      if (!started.has(line)) yield `effect ${line} ran without a recorded call`;
    }
    for (const line of done)
      if (!effects.includes(line)) yield `effect ${line} is recorded as done, and never ran`;
  },

  *ask({ records, sent }) {
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
      const command = sent.find(({ position }) => position === answer?.inbox?.position)?.command;
      if (answer !== undefined && (command?.kind !== "answer" || command.askId !== askId))
        yield `ask ${askId} was answered without a command`;
    }
  },

  *end({ task, records, sent }) {
    if (task.owner !== null) yield `worker ${task.owner} still owns it`;
    const after = records.findLast((record) => record.after !== undefined)?.after ?? "";
    if (!/^(idle|resumable)\b/.test(after)) yield `it is in state ${after}`;
    const isCancelled = sent.some(
      ({ command, position }) => command.kind === "cancel" && !isRefused(records, position),
    );
    if (isCancelled) return;
    if (records.findLast(({ facts }) => facts?.result !== undefined)?.facts?.result !== "Done.")
      yield "it has not completed";
    else if (!after.startsWith("idle")) yield `it completed, and is in state ${after}`;
  },
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

/** The line of each call of the tool, by the id that the model gave it. */
function* toolUsesIn(records: readonly CheckedRecord[]): Generator<[string, string]> {
  for (const { conversation } of records)
    for (const { entry, content = entry?.content ?? [] } of conversation)
      for (const { id, input } of content)
        if (id !== undefined && typeof input?.line === "string") yield [id, input.line];
}

/** The questions that were open. */
const questionsIn = (records: readonly CheckedRecord[]): ReadonlySet<number> =>
  new Set(
    records.flatMap(({ calls }) =>
      calls.flatMap(({ phase, ask, row }) =>
        phase === "asking" && ask === "followup" && row !== undefined ? [row] : [],
      ),
    ),
  );
