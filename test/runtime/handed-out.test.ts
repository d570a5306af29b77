import { expect, test } from "vitest";
import { z } from "zod";
import { PersistentList } from "../../machines/list/list.ts";
import { NO_USAGE } from "../../machines/task/request.ts";
import type { ChatModel, ModelEvent } from "../../ports/model.ts";
import type { Task } from "../../runtime/task/task.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { methodsAt } from "../../tools/hook.ts";
import { allowEverything, builtinTools, defineTool, type Hook } from "../../tools/index.ts";
import { openRig, PIXEL } from "../support/host.ts";
import { call } from "../support/model.ts";

/** Write to every object in a value, as far as that is possible. Returns how many objects were found. */
function mutate(value: unknown, seen = new Set<unknown>()): number {
  if (typeof value !== "object" || value === null || seen.has(value)) return 0;
  seen.add(value);
  if (value instanceof PersistentList) return mutate([...value.leaves()], seen) + attempt(value);
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return 0;
  const members = Object.values(value);
  const found = members.reduce<number>((sum, member) => sum + mutate(member, seen), 0);
  return found + attempt(value);
}

function attempt(value: object): number {
  for (const name of [...Object.keys(value), "added"]) {
    try {
      Reflect.set(value, name, "mutated");
    } catch {
      // A setter may refuse.
    }
  }
  if (Array.isArray(value) && !Object.isFrozen(value)) value.length = 0;
  return 1;
}

/** What a task is, as its clients read it. */
const readingOf = (task: Task): string => {
  const { value, context } = task.snapshot;
  const { reportTo: _, ...plain } = context;
  const lists = { log: context.log.toArray(), conversation: context.conversation.toArray() };
  return JSON.stringify([value, { ...plain, ...lists }, task.state, task.asks.length, task.treeAsks.length]);
};

const order = defineTool({
  name: "order",
  displayName: "Order",
  group: "read",
  effect: "writes",
  description: "Orders things.",
  inputSchema: z.object({ items: z.array(z.object({ name: z.string() })) }),
  describe: () => "{}",
  execute: async (input) => {
    const content = [{ type: "text" as const, text: `ordered ${input.items.length}` }];
    mutate(input);
    return { content };
  },
});

const question = () =>
  call("ask_followup_question", { question: "Which?", follow_up: [{ text: "left" }] }, "t1");
const orders = (id: string) => call("order", { items: [{ name: "tea" }] }, id);

/** A model that writes to each request that it gets. */
const mutating = (sent: string[], ...turns: readonly AsyncIterable<ModelEvent>[]): ChatModel => ({
  id: "mutating",
  async *stream(request): AsyncGenerator<ModelEvent> {
    const turn = turns[sent.length];
    sent.push(JSON.stringify(request));
    mutate(request);
    if (turn !== undefined) yield* turn;
    else {
      yield { type: "text.delta", text: "Done." };
      yield { type: "block.end" };
    }
    yield { type: "finished", stopReason: turn === undefined ? "end_turn" : "tool_use", usage: NO_USAGE };
  },
});

test("nothing that a task hands out can change it: no door has an object that takes a write", async () => {
  const sent: string[] = [];
  const inputs: unknown[] = [];
  const hook: Hook = {
    name: "watch",
    ...methodsAt(["beforeRequest", "beforeTool", "afterTool"], (input) => {
      inputs.push(input);
      mutate(input);
    }),
  };
  await using rig = await openRig({
    model: mutating(sent, orders("t0"), question(), orders("t2")),
    policy: allowEverything(),
    tools: [order, ...builtinTools()],
    hooks: [hook],
    permissions: { level: "auto", rules: [{ level: "allow", rule: "read(**)" }] },
  });
  const { task } = rig;
  const commits: unknown[] = [];
  task.events$.subscribe(({ commit }) => commits.push(commit));
  const end = task.run("Do it");
  const ask = await rig.ask("question");
  task.queue("later", [PIXEL]);
  const doors: Readonly<Record<string, unknown>> = {
    context: task.snapshot.context,
    log: task.log,
    conversation: task.snapshot.context.conversation,
    queue: task.snapshot.context.queue,
    state: task.state,
    asks: task.asks,
    treeAsks: task.treeAsks,
    ask,
    commits,
    inputs,
  };
  const before = readingOf(task);
  for (const [name, door] of Object.entries(doors)) {
    expect(mutate(door), name).toBeGreaterThan(0);
    expect(readingOf(task), name).toBe(before);
  }
  expect(ask.answer("left")).toEqual({ ok: true });
  expect((await end).state).toBe("idle");
  expect(sent.join()).toContain("ordered 1");
  expect(sent.join()).not.toContain("mutated");
  const history = await openHistory({ dataDir: rig.dataDir });
  const listed = JSON.stringify(await history.list());
  mutate(await history.list());
  expect(JSON.stringify(await history.list())).toBe(listed);
});

test("an object that a caller gives to a task stays the caller's", async () => {
  await using rig = await openRig({ model: mutating([], question()), policy: allowEverything() });
  const end = rig.task.run("Do it");
  const ask = await rig.ask("question");
  const rules = [{ level: "allow" as const, rule: "read(**)" }];
  rig.task.changePermissions({ rules });
  rules.push({ level: "allow", rule: "edit(**)" });
  await rig.task.flushed();
  expect(rig.task.snapshot.context.permissions.rules).toEqual([{ level: "allow", rule: "read(**)" }]);
  ask.answer("left");
  expect((await end).state).toBe("idle");
});
