import { readdirSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { budgetTooSmall, subtaskFailed } from "../../../machines/conversation/notices.ts";
import { NO_USAGE } from "../../../machines/task/request.ts";
import type { Budget } from "../../../machines/task/task.events.ts";
import type { Grant } from "../../../machines/tool-call/grant.ts";
import type { ChatModel } from "../../../ports/model.ts";
import type { Host } from "../../../runtime/host.ts";
import type { Task } from "../../../runtime/task/task.ts";
import { fileJournal } from "../../../store/index.ts";
import { replayJournal } from "../../../store/recovery/replay.ts";
import { allowEverything } from "../../../tools/index.ts";
import { runs } from "../../support/campaigns.ts";
import { openRig, type Rig, resultsOf } from "../../support/host.ts";
import { call } from "../../support/model.ts";
import {
  askOf,
  Crash,
  completes,
  openedTask,
  openSubtaskRig,
  QUESTION,
  scriptByMode,
  subtask,
} from "../../support/subtasks.ts";

const leftIn = ({ snapshot }: Task): Grant | undefined => heldIn(snapshot.context.budget);
const heldIn = (budget: Budget | null | undefined): Grant | undefined =>
  budget == null || budget.state === "returned" ? undefined : budget.left;

const parent = [
  { mode: "code", after: "new_task", turn: completes("All done.") },
  { mode: "code", turn: subtask("one") },
];
const child = { mode: "one", turn: completes("One done.") };

describe("BUDGET: a task and its subtasks", () => {
  test("spend one budget: what a subtask does not need comes back with its result (field failure 12)", async () => {
    const budget = { requests: 10, tasks: 3, depth: 1, cost: 1 };
    await using rig = await openSubtaskRig(scriptByMode(...parent, child), { budget });
    const one = openedTask(rig.host, `${rig.task.id}.1`);
    await rig.task.run("Do it");
    const { cost } = await rig.task.totalUsage();
    expect(cost).toBeGreaterThan(0);
    expect(leftIn(rig.task)).toEqual({
      requests: 7,
      tasks: 2,
      depth: 1,
      cost: expect.closeTo(1 - (cost ?? 0), 9),
    });
    const granted = { requests: 4, tasks: 1, depth: 0, cost: expect.closeTo(0.5, 1) };
    expect((await one).snapshot.context.budget).toEqual({ state: "returned", granted });
  });

  test("spend no more levels than it has: the model gets the reason, and goes on", async () => {
    await using rig = await openSubtaskRig(
      scriptByMode(
        ...parent,
        { mode: "one", after: "new_task", turn: completes("Done here.") },
        {
          mode: "one",
          turn: subtask("two"),
        },
      ),
      { budget: { depth: 1 } },
    );
    expect(await rig.task.run("Do it")).toMatchObject({ result: "All done." });
    const results = rig.sent().flatMap((sent) => resultsOf(sent));
    expect(results.join("\n")).toContain(budgetTooSmall("levels of subtasks"));
  });

  test("ask for more where the budget is spent: a yes is for the subtask that asks", async () => {
    const asking = [
      { mode: "one", after: "list_files", turn: completes("One done.") },
      { mode: "one", turn: "{ tool: list_files, input: { path: ., recursive: false } }" },
    ];
    await using rig = await openSubtaskRig(scriptByMode(...parent, ...asking), { budget: { requests: 3 } });
    const end = rig.task.run("Do it");
    const ask = await askOf(rig.host, `${rig.task.id}.1`, "limit");
    expect(JSON.parse(ask.text)).toMatchObject({ count: 1, type: "requests" });
    ask.approve();
    expect(await end).toMatchObject({ result: "All done." });
    expect(leftIn(rig.task)).toEqual({ requests: 0 });
  });

  test("give a subtask its grant for good once its user stops it", async () => {
    await using rig = await openSubtaskRig(
      scriptByMode(
        ...parent,
        { mode: "one", after: "ask_followup_question", turn: completes("Later.") },
        {
          mode: "one",
          turn: QUESTION,
        },
      ),
      { budget: { requests: 10 } },
    );
    const end = rig.task.run("Do it");
    await askOf(rig.host, `${rig.task.id}.1`, "question");
    const one = await openedTask(rig.host, `${rig.task.id}.1`);
    one.cancel();
    await end;
    expect(leftIn(rig.task)).toEqual({ requests: 4 });
    expect(leftIn(one)).toEqual({ requests: 3 });
  });

  test("keep the grant of a subtask that could not be created", async () => {
    await using rig = await openSubtaskRig(scriptByMode(...parent, child), { budget: { requests: 10 } });
    const other = await rig.host.create({
      id: `${rig.task.id}.1`,
      model: { id: "m", stream: () => never() },
      workspace: rig.dir,
    });
    await rig.task.run("Do it");
    expect(leftIn(rig.task)).toEqual({ requests: 8 });
    expect(resultsOf(rig.sent().at(-1) ?? []).join()).toContain(
      subtaskFailed(other.id, "the id").slice(0, -"the id".length),
    );
  });

  test("have no budget by default, and limits of each task", async () => {
    await using rig = await openSubtaskRig(scriptByMode(...parent, child));
    const one = openedTask(rig.host, `${rig.task.id}.1`);
    await rig.task.run("Do it");
    expect(rig.task.snapshot.context.budget).toBeNull();
    expect((await one).snapshot.context.budget).toBeNull();
  });
});

async function* never(): AsyncGenerator<never> {
  yield await Promise.reject(new Error("This model is not asked."));
}

test("an invalid budget is refused with its amount", async () => {
  const opening = openRig({ script: "[{ text: Hi. }]", budget: { requests: -1 } });
  await expect(opening).rejects.toMatchObject({
    code: "OPTION_INVALID",
    message: expect.stringContaining("budget"),
  });
});

/** A task that starts these subtasks, one after another, and completes. */
interface Node {
  readonly children: readonly Node[];
  /** The budget that the call of its parent names. */
  readonly budget?: Grant | null;
}

const amount = fc.integer({ min: 1, max: 8 });
const named = fc.option(
  fc.record({ requests: amount, cost: amount.map((requests) => requests / 16) }, { requiredKeys: [] }),
);

const treesOf = (levels: number, minLength = 0): fc.Arbitrary<Node> =>
  levels === 0
    ? fc.record({ children: fc.constant([]), budget: named })
    : fc.record({ children: fc.array(treesOf(levels - 1), { minLength, maxLength: 2 }), budget: named });

/** The node of a name: `t`, and a digit for each level. */
const nodeOf = (tree: Node, name: string): Node | undefined =>
  [...name.slice(1)].reduce<Node | undefined>((node, index) => node?.children[Number(index)], tree);

/** A model whose prompt names its node: each response starts the next subtask, and the last one completes. */
const treeModel = (tree: Node): ChatModel => ({
  id: "tree",
  async *stream({ messages }) {
    const name = /Be (t\d*)\./.exec(JSON.stringify(messages[0]))?.[1] ?? "";
    const turn = messages.filter(({ role }) => role === "assistant").length;
    const child = nodeOf(tree, name)?.children[turn];
    const next = { mode: "code", message: `Be ${name}${turn}.`, todos: null, budget: child?.budget ?? null };
    yield* child === undefined
      ? call("attempt_completion", { result: "Done." }, `toolu_${turn}`)
      : call("new_task", next, `toolu_${turn}`);
    yield { type: "finished", stopReason: "tool_use", usage: { ...NO_USAGE, cost: COST } };
  },
});
/** Cost of a request: sums of it are exact. */
const COST = 1 / 16;

/** What the tasks of a data directory spent, and what they have left. */
async function sumOf(dataDir: string): Promise<Grant> {
  const folder = path.join(dataDir, "tasks");
  let [requests, tasks, cost] = [0, 0, 0];
  for (const id of readdirSync(folder)) {
    const replayed = await replayJournal(fileJournal({ dir: path.join(folder, id) }));
    if (replayed === undefined) continue;
    const { log, facts } = replayed.recorded;
    const left = heldIn(facts.budget);
    requests += log.toArray().filter(({ say }) => say === "api_req_started").length + (left?.requests ?? 0);
    tasks += (facts.children ?? 0) + (left?.tasks ?? 0);
    cost += (facts.total?.cost ?? 0) + (left?.cost ?? 0);
  }
  return { requests, tasks, cost };
}

/** Nobody grants more: a task whose budget is spent stops. */
const stopAtLimit = (host: Host): void => {
  host.opened$.subscribe((task) =>
    task.asks$.subscribe((ask) => {
      if (ask.kind === "limit") ask.reject();
    }),
  );
};

const OPTIONS = { permissions: { judge: allowEverything() }, limits: { mistakes: 0, subtaskShare: 0.75 } };

/** Run a tree; returns the files that a process would have left that crashed at each of these commits. */
async function runTree(rig: Rig, at: (commit: number) => boolean): Promise<readonly Crash[]> {
  const crashes: Crash[] = [];
  let commits = 0;
  const count = (task: Task) =>
    task.events$.subscribe(() => {
      commits += 1;
      if (at(commits)) crashes.push(new Crash(rig));
    });
  count(rig.task);
  rig.host.opened$.subscribe(count);
  stopAtLimit(rig.host);
  await rig.task.run("Be t.");
  return crashes;
}

/** Go on after a crash until the task is at rest, and close it. */
async function goOn(crash: Crash, model: ChatModel): Promise<Grant> {
  await using copy = await crash.open({ ...OPTIONS, model });
  stopAtLimit(copy.host);
  const [ask] = copy.task.asks;
  if (ask?.kind === "resume") {
    const end = copy.task.settled();
    ask.approve();
    await end;
  }
  await copy.host.closeAll();
  return await sumOf(path.join(crash.base, "data"));
}

describe("BUDGET: the tasks of a tree together spent and have left exactly the grant of its root", () => {
  test("whatever the tree, with a crash anywhere", async () => {
    const budgets = fc.record({
      requests: fc.integer({ min: 1, max: 16 }),
      tasks: fc.nat(4),
      cost: fc.integer({ min: 1, max: 16 }).map((requests) => requests * COST),
    });
    await fc.assert(
      fc.asyncProperty(treesOf(3, 1), budgets, fc.integer({ min: 1, max: 60 }), async (tree, budget, at) => {
        const model = treeModel(tree);
        await using rig = await openRig({ ...OPTIONS, model, budget });
        const [crash] = await runTree(rig, (commit) => commit === at);
        await rig.task.flushed();
        expect(await sumOf(rig.dataDir)).toEqual(budget);
        if (crash !== undefined) expect(await goOn(crash, model)).toEqual(budget);
      }),
      { numRuns: runs(100, 10) },
    );
  });

  test("with a crash at each commit of a tree", async () => {
    const budget = { requests: 20, tasks: 3, cost: 20 * COST };
    const model = treeModel({ children: [{ children: [{ children: [] }] }, { children: [] }] });
    await using rig = await openRig({ ...OPTIONS, model, budget });
    const every = runs(1, 7);
    const crashes = await runTree(rig, (commit) => commit % every === 0);
    expect(crashes.length).toBeGreaterThan(30 / every);
    for (const crash of crashes) expect(await goOn(crash, model)).toEqual(budget);
  });
});
