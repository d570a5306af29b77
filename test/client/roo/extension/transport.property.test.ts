import fc from "fast-check";
import { describe, expect } from "vitest";
import { createClient } from "../../../../client/index.ts";
import { PersistentList } from "../../../../machines/list/list.ts";
import { detectAgentState } from "../../../../machines/message/detect.ts";
import { applyLogEvent, type Log, type LogEvent } from "../../../../machines/message/log.ts";
import type { ClineMessage } from "../../../../machines/message/message.ts";
import { test } from "../../../support/prop.ts";
import { ask, say } from "./spoken.ts";

/** What a task may do to its rows in one step: `pick` chooses the row that is changed. */
interface Change {
  readonly kind: "append" | "grow" | "close" | "cost";
  readonly pick: number;
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom("append", "append", "grow", "grow", "grow", "close", "cost"),
  pick: fc.nat(),
});
/** A step is one to three changes; now and then the task is shown as a whole, or its end is cut off. */
const step = fc.record({
  task: fc.constantFrom("a", "b"),
  changes: fc.array(change, { minLength: 1, maxLength: 3 }),
  push: fc.boolean(),
  cut: fc.constantFrom(false, false, false, true),
});

const ROWS: readonly ((ts: number) => ClineMessage)[] = [
  (ts) => say(ts, "text"),
  (ts) => say(ts, "text", { partial: true }),
  (ts) => say(ts, "api_req_started", { text: "{}" }),
  (ts) => ask(ts, "tool"),
  (ts) => ask(ts, "tool", { partial: true }),
  (ts) => ask(ts, "completion_result"),
];

function eventOf({ kind, pick }: Change, log: Log, ts: number): LogEvent {
  const row = log.at(pick % Math.max(log.length, 1));
  if (kind === "append" || row === undefined)
    return { type: "message.appended", message: (ROWS[pick % ROWS.length] ?? ROWS[0]!)(ts) };
  if (kind === "grow") return { type: "message.grown", ts: row.ts, text: `+${pick % 10}` };
  if (kind === "cost") return { type: "message.amended", ts: row.ts, patch: { text: '{"cost":1}' } };
  return { type: "message.amended", ts: row.ts, patch: { partial: false } };
}

type Message =
  | {
      readonly type: "state";
      readonly state: { readonly taskId: string; readonly clineMessages: readonly ClineMessage[] };
    }
  | {
      readonly type: "messageUpdated";
      readonly taskId: string;
      readonly clineMessage: ClineMessage;
      readonly more?: true;
    }
  | {
      readonly type: "messageGrown";
      readonly taskId: string;
      readonly ts: number;
      readonly offset: number;
      readonly text: string;
      readonly since: number;
      readonly more?: true;
    };
type Numbered = Message & { readonly revision: { readonly source: string; readonly number: number } };

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A sender with numbered messages, of two tasks, of which one is shown. Updates of both go out. */
class Sender {
  readonly messages: Numbered[] = [];
  /** Every row of the task that is shown that was ever said. */
  readonly said = new Set<number>();
  readonly #shown: string;
  readonly #logs = new Map<string, Log>();
  /** The number of the message that told each row whole. */
  readonly #wholeAt = new Map<number, number>();
  #ts = 0;

  constructor(shown: string) {
    this.#shown = shown;
    this.#push(shown);
  }

  /** The rows of the task that is shown. */
  get log(): readonly ClineMessage[] {
    return this.#logOf(this.#shown).toArray();
  }

  do({ task, changes, push, cut }: Step): void {
    const changed = new Map<number, string | undefined>();
    for (const one of changes) {
      const { ts, grownBy } = this.#change(task, one);
      const isWhole = grownBy === undefined || (changed.has(ts) && changed.get(ts) === undefined);
      changed.set(ts, isWhole ? undefined : (changed.get(ts) ?? "") + grownBy);
    }
    if (cut) {
      const log = this.#logOf(task);
      this.#logs.set(
        task,
        applyLogEvent(log, { type: "log.truncated", length: Math.max(0, log.length - 1) }),
      );
    } else this.#update(task, changed);
    if (cut || push) this.#push(task);
  }

  #change(task: string, change: Change): { readonly ts: number; readonly grownBy?: string } {
    this.#ts += 1;
    const event = eventOf(change, this.#logOf(task), this.#ts);
    this.#logs.set(task, applyLogEvent(this.#logOf(task), event));
    if (event.type === "message.grown") return { ts: event.ts, grownBy: event.text };
    return { ts: event.type === "message.appended" ? event.message.ts : "ts" in event ? event.ts : 0 };
  }

  #update(taskId: string, changed: ReadonlyMap<number, string | undefined>): void {
    const rows = this.#logOf(taskId)
      .toArray()
      .filter(({ ts }) => changed.has(ts));
    rows.forEach((clineMessage, index) => {
      const more = index < rows.length - 1 && { more: true as const };
      const { ts, text: whole = "" } = clineMessage;
      const [text, since] = [changed.get(ts), this.#wholeAt.get(ts)];
      if (text === undefined || since === undefined) {
        this.#send({ type: "messageUpdated", taskId, clineMessage, ...more });
        this.#wholeAt.set(ts, this.messages.length);
      } else {
        const offset = (whole?.length ?? 0) - text.length;
        this.#send({ type: "messageGrown", taskId, ts, offset, text, since, ...more });
      }
    });
    if (taskId === this.#shown) for (const { ts } of rows) this.said.add(ts);
  }

  #push(taskId: string): void {
    if (taskId !== this.#shown) return;
    for (const { ts } of this.log) this.said.add(ts);
    this.#send({ type: "state", state: { taskId, clineMessages: this.log } });
    for (const { ts } of this.log) this.#wholeAt.set(ts, this.messages.length);
  }

  #send(message: Message): void {
    this.messages.push({ ...message, revision: { source: "s", number: this.messages.length + 1 } });
  }

  #logOf(task: string): Log {
    return this.#logs.get(task) ?? PersistentList.empty();
  }
}

function senderOf(steps: readonly Step[]): Sender {
  const sender = new Sender("a");
  for (const one of steps) sender.do(one);
  return sender;
}

/** The final view, and each row that was told as new. */
function viewOf(messages: readonly unknown[]) {
  const client = createClient(() => {});
  const told: string[] = [];
  const updated: string[] = [];
  client.on("message", ({ ts }) => told.push(`${client.getTaskId()} ${ts}`));
  client.on("messageUpdated", ({ ts }) => updated.push(`${client.getTaskId()} ${ts}`));
  for (const message of messages) client.handleMessage(JSON.stringify(message));
  return { client, told, updated, rows: client.getMessages(), state: client.getAgentState() };
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** The messages behind the first in any order, some of them more than once. */
const delivery = (messages: readonly Numbered[], order: readonly number[]): readonly Numbered[] => {
  const [first, ...others] = messages;
  const twice = others.filter((_, index) => (order[index % Math.max(order.length, 1)] ?? 0) % 3 === 0);
  const rank = (index: number): number => order[index % Math.max(order.length, 1)] ?? 0;
  const mixed = [...others, ...twice]
    .map((message, index) => ({ message, at: rank(index * 7 + 3), index }))
    .sort((one, other) => one.at - other.at || other.index - one.index)
    .map(({ message }) => message);
  return first === undefined ? mixed : [first, ...mixed];
};

describe("a replica from messages with revisions", () => {
  test.prop([fc.array(step, { maxLength: 25 }), fc.array(fc.nat(1000), { minLength: 1, maxLength: 60 })], {
    numRuns: 400,
  })(
    "is the same in the end whatever the transport does behind the first state push: any order, any message twice",
    (steps, order) => {
      const { log, messages } = senderOf(steps);
      const { rows, state } = viewOf(delivery(messages, order));
      expect(rows).toEqual(plain(log));
      expect(state).toEqual(plain(detectAgentState(log)));
    },
  );

  test.prop([fc.array(step, { maxLength: 25 }), fc.array(fc.nat(1000), { minLength: 1, maxLength: 60 })], {
    numRuns: 400,
  })("tells each row once, and only rows of the task that is shown (I14)", (steps, order) => {
    const { messages, said } = senderOf(steps);
    const inOrder = viewOf(messages);
    const expected = [...said].map((ts) => `a ${ts}`).sort();
    expect([...inOrder.told].sort()).toEqual(expected);
    const mixed = viewOf(delivery(messages, order));
    expect(new Set(mixed.told).size).toBe(mixed.told.length);
    for (const row of [...mixed.told, ...mixed.updated]) expect(expected).toContain(row);
  });

  test.prop([fc.array(step, { maxLength: 25 }), fc.array(fc.nat(1000), { minLength: 1, maxLength: 60 })], {
    numRuns: 200,
  })("needs no update that a later state push contains", (steps, lost) => {
    const { log, messages } = senderOf(steps);
    const whole: Numbered = {
      type: "state",
      state: { taskId: "a", clineMessages: log },
      revision: { source: "s", number: messages.length + 1 },
    };
    const kept = messages.filter((_, index) => (lost[index % lost.length] ?? 0) % 2 === 0);
    expect(viewOf([...kept, whole]).rows).toEqual(plain(log));
    // And late updates change nothing behind it.
    expect(viewOf([whole, ...messages]).rows).toEqual(plain(log));
  });
});

describe("a replica from messages without revisions", () => {
  const bare = ({ revision: _, ...message }: Numbered): Message => message;

  test.prop([fc.array(step, { maxLength: 25 }), fc.array(fc.nat(1000), { minLength: 1, maxLength: 60 })], {
    numRuns: 300,
  })(
    "is the same in the end if they arrive in order, repeatedly or not, with any state pushes between them",
    (steps, order) => {
      const { log, messages } = senderOf(steps);
      const again = messages.flatMap((message, index) => {
        const times = 1 + ((order[index % order.length] ?? 0) % 3);
        return Array.from({ length: times }, () => bare(message));
      });
      const { rows, told } = viewOf(again);
      expect(rows).toEqual(plain(log));
      expect(new Set(told).size).toBe(told.length);
    },
  );
});
