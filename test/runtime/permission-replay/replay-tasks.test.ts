import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { anthropic } from "../../../adapters/index.ts";
import type { SandboxOptions } from "../../../adapters/sandbox/options.ts";
import { PERMISSION_MODES, type PermissionMode } from "../../../machines/tool-call/permissions.ts";
import { replaySentence } from "../../../present/replay-sentence.ts";
import { createHost } from "../../../runtime/host.ts";
import {
  type ReplayedTask,
  replayTask,
  replayTasks,
} from "../../../runtime/permission-replay/replay-tasks.ts";
import { openHistory } from "../../../runtime/task-history/task-history.ts";
import { fileJournals } from "../../../server/index.ts";
import { parseScript } from "../../../testing/mock/script/script-parser.ts";
import { startMock } from "../../../testing/mock/server/server.ts";
import type { Hook } from "../../../tools/hook.ts";
import { byRules, DEFAULT_ALLOW } from "../../../tools/index.ts";
import type { HypotheticalPermissions } from "../../../tools/judge/hypothetical.ts";
import type { ReplayedCall } from "../../../tools/judge/replay.ts";
import { ReplayTotals } from "../../../tools/judge/replay-totals.ts";
import type { PermissionSource } from "../../../tools/policy/permission-rule.ts";
import { temporaryFolder } from "../../cli/process.ts";
import { completes, scriptByMode, subtask } from "../../support/subtasks.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const CALLS = {
  edit: { tool: "write_to_file", input: { path: "src/a.txt", content: "a\n" } },
  guarded: { tool: "write_to_file", input: { path: ".signalbox/settings.yaml", content: "version: 1\n" } },
  diff: {
    tool: "apply_diff",
    input: { path: "b.txt", diff: "<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE" },
  },
  read: { tool: "read_file", input: { path: "b.txt" } },
  outside: { tool: "read_file", input: { path: "../outside.txt" } },
  echo: { tool: "execute_command", input: { command: "echo hi" } },
  line: { tool: "execute_command", input: { command: "echo hi && true" } },
  remove: { tool: "execute_command", input: { command: "rm -rf nothing" } },
  unclear: { tool: "execute_command", input: { command: "$X nothing" } },
  todos: { tool: "update_todo_list", input: { todos: "[ ] one" } },
  invalid: { tool: "write_to_file", input: {} },
  unknown: { tool: "no_such_tool", input: {} },
} as const;
type CallName = keyof typeof CALLS;

const NAMES = Object.keys(CALLS) as CallName[];

const DONE = { tool: "attempt_completion", input: { result: "Done." } };

interface Recorded {
  /** Each in a response of its own. A completion follows. */
  readonly calls?: readonly CallName[];
  /** The script of the mock in place of calls. */
  readonly script?: string;
  readonly sources?: readonly PermissionSource[];
  readonly level?: PermissionMode;
  /** Whether each ask is approved, in order; the last one counts for all others. `always` adds the rule that is offered. */
  readonly answers?: readonly ("yes" | "no" | "always")[];
  readonly hooks?: readonly Hook[];
}

let number = 0;

/** Runs a task on a mock to its end, with one call in each response. */
async function record({
  calls = [],
  script,
  sources = [],
  level = "ask",
  answers = ["yes"],
  hooks,
}: Recorded) {
  number += 1;
  const base = path.join(folder.path, String(number));
  const workspace = path.join(base, "workspace");
  mkdirSync(path.join(workspace, "src"), { recursive: true });
  writeFileSync(path.join(workspace, "b.txt"), "one\n");
  const turns = [...calls.map((name) => CALLS[name]), DONE];
  const mock = await startMock(parseScript(script ?? JSON.stringify(turns)));
  const dataDir = path.join(base, "data");
  const host = createHost({ dataDir });
  const judge = byRules({ sources: [{ origin: "built in", allow: DEFAULT_ALLOW }, ...sources] });
  const options = { permissions: { judge, level } };
  const task = await host.create({
    ...options,
    model: anthropic({ model: "claude-sonnet-4-6", baseURL: mock.url, apiKey: "any" }),
    workspace,
    limits: { mistakes: 0 },
    ...(hooks !== undefined && { hooks }),
  });
  let asked = 0;
  task.asks$.subscribe((ask) => {
    if (ask.kind !== "tool" && ask.kind !== "command") return;
    const answer = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    if (answer === "no") ask.reject();
    else ask.approve(answer === "always" && ask.rules[0] !== undefined ? { rule: ask.rules[0] } : {});
  });
  await task.run("Go");
  const { id } = task;
  await host.closeAll();
  await mock.close();
  const replay = async (
    tried: Partial<HypotheticalPermissions> = {},
    judged = judge,
    of = id,
    sandbox: SandboxOptions | undefined = undefined,
  ): Promise<Replay> => {
    const replayed = await replayTask(of, {
      journal: fileJournals(dataDir),
      task: { permissions: { judge: judged }, ...(sandbox !== undefined && { sandbox }) },
      tried: { rules: [], ...tried },
    });
    return resultOf(replayed);
  };
  return { id, dataDir, replay, asked, judge };
}

interface Replay {
  readonly totals: ReplayTotals;
  readonly judged: readonly ReplayedCall[];
}

function resultOf(replayed: ReplayedTask): Replay {
  if ("problem" in replayed) return expect.fail(replayed.problem);
  const totals = new ReplayTotals();
  for (const call of replayed.calls) totals.add(replayed.taskId, call);
  return { totals, judged: replayed.calls.filter((call) => call.kind === "judged") };
}

const allowing = (...rules: string[]) => rules.map((rule) => ({ level: "allow", rule }) as const);
const denying = (...rules: string[]) => rules.map((rule) => ({ level: "deny", rule }) as const);

describe("a replay with the permissions that a task had", () => {
  test("changes no decision of any task", { timeout: 120_000 }, async () => {
    const rules = fc.subarray(["edit(src/**)", "command(echo *)", "tool(update_todo_list)", "command(rm *)"]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 6 }),
        fc.record({ allow: rules, ask: rules, deny: rules }),
        fc.constantFrom(...PERMISSION_MODES),
        fc.array(fc.constantFrom("yes", "no", "always"), { minLength: 1, maxLength: 4 }),
        async (calls, source, level, answers) => {
          const { replay, asked } = await record({
            calls,
            sources: [{ origin: "s.yaml", ...source }],
            level,
            answers,
          });
          const { totals, judged } = await replay();
          expect(totals.listed).toEqual({ changes: [], more: 0 });
          const isOfTool = ({ tool }: ReplayedCall) => tool !== "attempt_completion";
          expect(judged.filter(isOfTool).filter(({ recorded }) => recorded.verdict === "ask").length).toBe(
            asked,
          );
          // Each verdict has the very ground that was recorded.
          for (const { recorded, now } of judged) expect(now).toEqual(recorded);
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe("a replay with a sandbox that lets the mode auto ask less", () => {
  test("asks about no command, as a run does with it", async () => {
    const { replay, asked, judge, id } = await record({ calls: ["line", "unclear"], level: "auto" });
    expect(asked).toBe(1);
    const { totals } = await replay({}, judge, id, { allowCommands: true });
    expect(totals.listed.changes).toMatchObject([
      {
        target: "$X nothing",
        recorded: { verdict: "ask" },
        now: { verdict: "allow", because: "mode auto" },
        cause: "settings",
      },
    ]);
    expect((await replay({}, judge, id, {})).totals.listed.changes).toEqual([]);
  });
});

describe("a replay with hypothetical permissions", () => {
  test("counts the asks that a rule would have spared, and names the rule", async () => {
    const { replay } = await record({
      calls: ["echo", "edit", "line", "remove"],
      answers: ["yes", "no", "yes"],
    });
    const { totals, judged } = await replay({ rules: allowing("command(echo *)") });
    expect(replaySentence(totals.summary, { allow: ["command(echo *)"] })).toBe(
      "With this rule, 1 of 5 asks would not have been asked. 5 calls were judged again.",
    );
    expect(totals.listed.changes).toEqual([
      expect.objectContaining({
        tool: "execute_command",
        target: "echo hi",
        recorded: { verdict: "ask", because: "no rule allows 'echo hi'" },
        now: { verdict: "allow", because: "command(echo *) in this session" },
        cause: "permissions",
      }),
    ]);
    expect(judged.map(({ target }) => target)).toEqual([
      "echo hi",
      "src/a.txt",
      "echo hi && true",
      "rm -rf nothing",
      "Done.",
    ]);
  });

  test("counts what a rule would deny, and what a stricter mode would do to allowed calls", async () => {
    const { replay } = await record({
      calls: ["echo", "read", "todos", "edit"],
      sources: [{ origin: "s.yaml", allow: ["command(echo *)", "edit(src/**)"] }],
    });
    const denied = await replay({ rules: denying("command(echo *)", "read(b.txt)") });
    expect(replaySentence(denied.totals.summary, { deny: ["command(echo *)", "read(b.txt)"] })).toBe(
      "With these rules, 2 calls that were allowed or asked about would be denied. 5 calls were judged again.",
    );
    const planned = await replay({ mode: "plan" });
    expect(replaySentence(planned.totals.summary, { mode: "plan" })).toBe(
      "With the mode plan, 2 calls that were allowed or asked about would be denied. 5 calls were judged again.",
    );
    expect(planned.judged.find(({ target }) => target === "echo hi")?.now).toEqual({
      verdict: "deny",
      because: "mode plan",
    });
  });

  test("judges a diff that no longer fits by its path", async () => {
    const { replay } = await record({ calls: ["diff"] });
    const { totals, judged } = await replay({ rules: allowing("edit(b.txt)") });
    expect(judged[0]).toMatchObject({ tool: "apply_diff", target: "b.txt", cause: "permissions" });
    expect(totals.summary.permissions.askToAllow).toBe(1);
  });

  test("has the rules of the session that a call was decided under, and no later ones", async () => {
    const { replay } = await record({
      calls: ["echo", "line", "read", "edit"],
      answers: ["always", "no", "yes"],
    });
    const { judged } = await replay();
    expect(judged.map(({ recorded }) => recorded.verdict)).toEqual(["ask", "ask", "allow", "ask", "ask"]);
    expect(judged.every(({ cause }) => cause === undefined)).toBe(true);
    const { totals } = await replay({ rules: allowing("command(true)") });
    expect(totals.listed.changes.map(({ target }) => target)).toEqual(["echo hi && true"]);
  });

  test("attributes a change that the settings of today make to them", async () => {
    const { replay } = await record({ calls: ["echo", "remove"] });
    const today = byRules({ sources: [{ origin: "t.yaml", allow: ["command(echo *)"] }] });
    const { totals } = await replay({ rules: allowing("command(rm *)") }, today);
    expect(totals.listed.changes.map(({ target, cause }) => `${target} ${cause}`)).toEqual([
      "echo hi settings",
      "rm -rf nothing permissions",
    ]);
    expect(replaySentence(totals.summary, { allow: ["command(rm *)"] })).toContain(
      "With the settings of today alone, 1 of 3 asks would not have been asked.",
    );
  });

  test("does not judge calls that the record lacks facts about, and gives the reason", async () => {
    const { replay } = await record({ calls: ["unknown", "invalid", "outside", "echo"] });
    const { totals } = await replay({ rules: allowing("command(*)") });
    expect(totals.summary.unjudged).toEqual([
      { reason: "no policy and no person decided about it", count: 3 },
    ]);
    expect(totals.summary.calls).toBe(2);
  });

  test("lifts neither the ask nor the denial of a hook", async () => {
    const hook: Hook = {
      name: "guard",
      tools: ["execute_command", "read_file"],
      beforeTool: ({ tool }) =>
        tool === "execute_command"
          ? { decision: "ask", reason: "it is Friday" }
          : { decision: "deny", reason: "no" },
    };
    const { replay } = await record({
      calls: ["echo", "read"],
      sources: [{ origin: "s.yaml", allow: ["command(echo *)"] }],
      hooks: [hook],
    });
    for (const tried of [{}, { rules: allowing("command(echo *)") }, { mode: "bypass" as const }]) {
      const { totals } = await replay(tried);
      expect(totals.listed.changes).toEqual([]);
      expect(totals.summary.unjudged).toEqual([
        { reason: "another judge than the rules and the mode asked, such as a hook", count: 1 },
      ]);
    }
    expect((await replay({ rules: denying("command(echo *)") })).totals.summary.permissions.askToDeny).toBe(
      1,
    );
  });

  test("knows that a rule accepts the completion of a subtask, and a person the completion of its root", async () => {
    const script = scriptByMode(
      { mode: "code", after: "new_task", turn: completes("All done.") },
      { mode: "code", turn: subtask("ask") },
      { mode: "ask", turn: completes("One done.") },
    );
    const sources = [{ origin: "s.yaml", allow: ["subtask"] }];
    const { id, replay, judge } = await record({ script, sources });
    const allowed = { verdict: "allow", because: "subtask in s.yaml" };
    const verdictsOf = ({ judged }: Replay) => judged.map(({ recorded, now }) => [recorded, now]);
    expect(verdictsOf(await replay({}, judge, `${id}.1`))).toEqual([[allowed, allowed]]);
    expect(verdictsOf(await replay())).toEqual([
      [allowed, allowed],
      [{ verdict: "ask" }, { verdict: "ask" }],
    ]);
    const withoutRules = await replay({}, byRules({ sources: [] }), `${id}.1`);
    expect(withoutRules.totals.summary.settings.allowToAsk).toBe(1);
  });

  test("skips a damaged journal with the reason, and goes on", async () => {
    const good = await record({ calls: ["echo"] });
    const folder = path.join(good.dataDir, "tasks/bad");
    mkdirSync(folder);
    const text = readFileSync(path.join(good.dataDir, "tasks", good.id, "journal.jsonl"), "utf8");
    const lines = text.split("\n");
    writeFileSync(path.join(folder, "journal.jsonl"), lines.with(3, "damaged").join("\n"));
    const replayed: ReplayedTask[] = [];
    for await (const task of replayTasks(["bad", good.id], {
      journal: fileJournals(good.dataDir),
      task: {},
      tried: { rules: [] },
    }))
      replayed.push(task);
    expect(replayed).toEqual([
      { taskId: "bad", problem: expect.stringContaining("line 4") },
      { taskId: good.id, calls: expect.any(Array) },
    ]);
  });

  test("judges the calls that a fork shares with the original, or with the fork if only that is named", async () => {
    const { id, dataDir } = await record({ calls: ["echo", "edit"] });
    const { id: fork } = await openHistory({ dataDir }).fork(id);
    const countsOf = async (...ids: readonly string[]): Promise<readonly number[]> => {
      const options = { journal: fileJournals(dataDir), task: {}, tried: { rules: [] } };
      const counts: number[] = [];
      for await (const task of replayTasks(ids, options))
        counts.push("calls" in task ? task.calls.length : -1);
      return counts;
    };
    expect(await countsOf(id, fork)).toEqual([3, 0]);
    expect(await countsOf(fork, id)).toEqual([0, 3]);
    expect(await countsOf(fork)).toEqual([3]);
  });
});
