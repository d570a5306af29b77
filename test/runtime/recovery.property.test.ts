import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fc, test } from "@fast-check/vitest";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { z } from "zod";
import { validateConversation } from "../../machines/conversation/validate.ts";
import { NO_USAGE } from "../../machines/task/request.ts";
import type { ChatModel, ModelEvent } from "../../ports/model.ts";
import { createHost, type Host } from "../../runtime/host.ts";
import type { Ask } from "../../runtime/task/ask.ts";
import type { Task } from "../../runtime/task/task.ts";
import { MemoryStore, memoryJournal } from "../../store/index.ts";
import {
  allowReadsInside,
  askAPerson,
  builtinTools,
  defineTool,
  firstOf,
  type Tool,
} from "../../tools/index.ts";
import { startedIn } from "../crash/effects.ts";
import { fold, isOpenAsk } from "../crash/fold.ts";
import { recordsOf, wholeLines } from "../crash/records.ts";
import { uncertaintyViolations } from "../crash/recovery.ts";
import { runs } from "../support/campaigns.ts";
import { call, complete } from "../support/model.ts";

let workspace = "";
beforeAll(async () => {
  workspace = await mkdtemp(path.join(tmpdir(), "prefixes-"));
});
afterAll(() => rm(workspace, { recursive: true, force: true }));

const text = fc.string({ minLength: 1, maxLength: 30 });
const block = fc.oneof(
  fc.record({ kind: fc.constantFrom("text", "thinking"), text }),
  { arbitrary: fc.record({ kind: fc.constant("count"), text }), weight: 3 },
  fc.record({
    kind: fc.constantFrom("read", "ask", "complete", "unknown", "command", "subtask", "broken"),
    text,
  }),
);
type Block = { readonly kind: string; readonly text: string };
/** How a response ends: completely, or cut off. */
const turn = fc.record({
  blocks: fc.array(block, { maxLength: 4 }),
  end: fc.constantFrom("whole", "whole", "whole", "cut"),
});
/** A person's answers to the asks, in order; later ones are approved. */
const answers = fc.array(fc.constantFrom("yes", "yes", "no", "text", "cancel", "queue"), { maxLength: 8 });
const scenario = fc.record({ turns: fc.array(turn, { minLength: 1, maxLength: 5 }), answers });
type Scenario = {
  readonly turns: readonly { readonly blocks: readonly Block[]; readonly end: string }[];
  readonly answers: readonly string[];
};

async function* responseEvents({ kind, text }: Block, id: string): AsyncGenerator<ModelEvent> {
  switch (kind) {
    case "text":
      yield { type: "text.delta", text };
      yield { type: "block.end" };
      return;
    case "thinking":
      yield { type: "thinking.delta", text };
      yield { type: "thinking.end", signature: "signed" };
      return;
    case "count":
      return yield* call("count", { key: id }, id);
    case "read":
      return yield* call("list_files", { path: ".", recursive: false }, id);
    case "ask":
      return yield* call("ask_followup_question", { question: text, follow_up: [{ text: "left" }] }, id);
    case "complete":
      return yield* call("attempt_completion", { result: text }, id);
    case "command":
      return yield* call("execute_command", { command: `echo ${id} >> effects.log` }, id);
    case "subtask":
      return yield* call("new_task", { mode: "code", message: "Do your part." }, id);
    case "broken":
      return yield* call("count", '{"key": "half of', id);
    default:
      return yield* call("no_such_tool", { text }, id);
  }
}

/** A model that returns the turns of a scenario in order, then completes. */
function modelOf({ turns }: Scenario): ChatModel {
  let asked = 0;
  return {
    id: "random",
    async *stream() {
      const number = asked;
      asked += 1;
      const next = turns[number];
      if (next === undefined) return yield* complete();
      for (const [index, each] of next.blocks.entries())
        yield* responseEvents(each, `toolu_${number}_${index}`);
      if (next.end === "cut") return;
      yield { type: "finished", stopReason: "tool_use", usage: NO_USAGE };
    },
  };
}

function answer(task: Task, ask: Ask, how: string): void {
  if (how === "cancel") {
    task.cancel();
    return;
  }
  if (how === "queue") task.queue("One more thing.");
  switch (ask.kind) {
    case "tool":
    case "command":
      if (how === "no") ask.reject();
      else if (how === "text") ask.reject({ text: "Not so." });
      else ask.approve();
      return;
    case "question":
      ask.answer("left");
      return;
    case "completion":
      if (how === "text") ask.answer("More, please.");
      else ask.approve();
      return;
    case "failure":
      ask.approve();
      return;
    case "mistakes":
    case "limit":
      ask.approve();
      return;
    default:
  }
}

/** An effect whose runs are counted by their keys. */
function counting(ran: string[]): readonly Tool[] {
  const tool = defineTool({
    name: "count",
    description: "Counts.",
    inputSchema: z.object({ key: z.string() }),
    effect: "executes",
    execute: ({ key }) => {
      ran.push(key);
      return `counted ${key}`;
    },
  });
  return [...builtinTools(), tool];
}

const ID = "scenario";
const hostOver = (
  journals: ReadonlyMap<string, Buffer>,
): { readonly host: Host; journal(id: string): Buffer } => {
  const stores = new Map([...journals].map(([id, bytes]) => [id, new MemoryStore(bytes)]));
  const store = (id: string): MemoryStore => {
    const known = stores.get(id) ?? new MemoryStore();
    stores.set(id, known);
    return known;
  };
  const host = createHost({ journal: (id) => memoryJournal({ store: store(id) }), onError: () => {} });
  return { host, journal: (id) => Buffer.concat(store(id).chunks()) };
};

const optionsFor = (model: ChatModel, ran: string[]) => ({
  model,
  workspace,
  tools: counting(ran),
  permissions: { judge: firstOf(allowReadsInside(), askAPerson()) },
  limits: { retryDelayMs: 1, retries: 1 },
});

/** Run a scenario and return its journal. */
async function journalOfRun(random: Scenario, ran: string[]): Promise<Buffer> {
  const { host, journal } = hostOver(new Map());
  const task = await host.create({ ...optionsFor(modelOf(random), ran), id: ID });
  const hows = random.answers.values();
  host.opened$.subscribe((member) =>
    member.asks$.subscribe((ask) => answer(member, ask, hows.next().value ?? "yes")),
  );
  task.asks$.subscribe((ask) => answer(task, ask, hows.next().value ?? "yes"));
  for (let rest = 0; rest < 3; rest += 1) {
    const { ask, result } = await task.run("Do it.").catch(() => ({ ask: "busy", result: undefined }));
    await task.flushed();
    if (ask === "completion_result" && result !== undefined && rest > 0) break;
  }
  await host.closeAll();
  return journal(ID);
}

let prefixes = 0;
let scenarios = 0;
afterAll(() => console.log(`${scenarios} scenarios, ${prefixes} prefixes recovered`));

describe("L11: every prefix of every journal", () => {
  test.prop([scenario, fc.nat()], {
    numRuns: runs(40, 12),
    endOnFailure: true,
    interruptAfterTimeLimit: 240_000,
  })(
    "opens with one resume ask and obeys L1-L6; one of them resumes, completes and repeats no effect (L12)",
    async (random, drawn) => {
      const ran: string[] = [];
      const whole = await journalOfRun(random, ran);
      expect(fold(recordsOf(whole)).broken).toEqual([]);
      expect(new Set(ran).size).toBe(ran.length);
      scenarios += 1;
      const lines = wholeLines(whole);
      const chosen = 2 + (drawn % Math.max(1, lines.length - 2));
      let at = 0;
      for (const [index, line] of lines.entries()) {
        at += line.length + 1;
        if (index === 0) continue;
        await recovered(whole.subarray(0, at), index === chosen);
        prefixes += 1;
      }
    },
  );
});

async function recovered(prefix: Buffer, resumes: boolean): Promise<void> {
  const { host, journal } = hostOver(new Map([[ID, prefix]]));
  const again: string[] = [];
  const model: ChatModel = { id: "done", stream: () => complete() };
  const task = await host.open(ID, optionsFor(model, again));
  const { messages, state, broken } = fold(recordsOf(journal(ID)));
  expect([...broken, ...uncertaintyViolations(recordsOf(prefix), messages)]).toEqual([]);
  expect(messages.map(({ ts }) => ts)).toEqual(task.log.toArray().map(({ ts }) => ts));
  expect(task.state.state).toBe(state.split(".")[0]);
  expect(messages.filter(isOpenAsk).map(({ ask }) => ask)).toEqual([messages.at(-1)?.ask]);
  expect(messages.at(-1)?.ask).toMatch(/^resume_(completed_)?task$/);
  if (resumes) {
    host.opened$.subscribe((member) => member.asks$.subscribe((ask) => answer(member, ask, "yes")));
    expect((await task.run("Go on.")).result).toBe("Done.");
    const history = task.snapshot.context.conversation.toArray().slice(0, -1);
    expect(validateConversation(history)).toEqual([]);
    const started = new Set(startedIn(recordsOf(prefix)).map(({ name }) => name));
    expect(again.filter((key) => started.has(key))).toEqual([]);
  }
  await host.closeAll();
}
