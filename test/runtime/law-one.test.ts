import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { checkRecordedPolicies } from "../../cli/log/policy-check.ts";

import { createHost } from "../../runtime/host.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { taskFolder } from "../../store/task-history/task-folder.ts";
import { allowEverything, askAPerson, builtinTools, defineTool, type Hook } from "../../tools/index.ts";
import { atMost, each, event, implies, not, once, type TemporalPolicy } from "../../tools/temporal/index.ts";
import { DONE, openRig, type Rig, type RigOptions, resultsOf } from "../support/host.ts";
import { completes, openSubtaskRig, scriptByMode, subtask } from "../support/subtasks.ts";

const started = (by: "person" | "policy") => event({ event: "call.started", by });

/** At most `count` calls start that this approver permits. */
const atMostBy = (by: "person" | "policy", count: number): TemporalPolicy => ({
  name: "counted",
  clauses: [{ name: `${count} by a ${by}`, always: implies(started(by), atMost(count, started(by))) }],
});
const TWO_BY_A_PERSON = atMostBy("person", 2);
const THREE: TemporalPolicy = {
  name: "counted",
  clauses: [{ name: "3 by a person", always: atMost(3, event({ event: "call.started" })) }],
};

const ASKS: Hook = {
  name: "careful",
  beforeTool: () => ({ decision: "ask", reason: "look at it" }),
};
/** Calls whose arguments were replaced, once. */
const amended = new Set<string>();
/** Replaces the arguments of the tool's calls. */
const amending = (tool: string, to: (given: Readonly<Record<string, unknown>>) => object): Hook => ({
  name: "amends",
  tools: [tool],
  beforeTool: (input) =>
    !amended.has(input.callId) && amended.add(input.callId)
      ? { decision: "amend", arguments: { ...input.arguments, ...to(input.arguments) } }
      : undefined,
});
const DENIED = /denied by the rule \\?"counted: \d by a (person|policy)\\?"/;

const command = (text: string): string =>
  `{ tool: execute_command, input: { command: "${text}", cwd: null } }`;
const RUNS = [1, 2, 3, 4].map((n) => command(`echo ${n} >> ran.txt`));
const ONE_BY_ONE = `${RUNS.map((run) => `- ${run}`).join("\n")}\n- ${DONE}`;
const IN_ONE_RESPONSE = `- [${RUNS.join(", ")}]\n- ${DONE}`;

/** The clauses that the recorded journal of a task breaks. */
async function breachesIn({ dataDir }: Rig, id: string, policies: readonly TemporalPolicy[]) {
  const { breaches } = await checkRecordedPolicies(
    path.join(taskFolder(dataDir, id), "journal.jsonl"),
    policies,
  );
  return breaches;
}

/** Run a task whose asks are all approved. Resolves to what ran, what was denied, and what the journal breaks. */
async function approved(options: RigOptions & { readonly policies: readonly TemporalPolicy[] }) {
  await using rig = await openRig({ policy: allowEverything(), hooks: [ASKS], ...options });
  const asks = rig.task.asks$.subscribe((ask) => {
    if (ask.kind === "command" || ask.kind === "tool") ask.approve();
  });
  expect(await rig.task.run("Go")).toMatchObject({ result: "Done." });
  asks.unsubscribe();
  const ran = await rig.file("ran.txt").catch(() => "");
  const results = resultsOf(rig.sent().at(-1) ?? []);
  const denials = rig.shown.flatMap(({ commit }) =>
    commit.calls.flatMap((call) =>
      call.phase === "settled" && call.outcome.kind === "denied" ? [call.callId] : [],
    ),
  );
  const breaches = await breachesIn(rig, rig.task.id, options.policies);
  return { ran: ran.trim().split("\n").join(""), results, denied: new Set(denials).size, breaches };
}

describe("law ONE: a call that starts satisfies what verify --log checks, no matter who says yes", () => {
  test.each([
    ["one after the other", ONE_BY_ONE],
    ["in one response", IN_ONE_RESPONSE],
  ])("judges the yes of a person to the ask of a hook, of calls %s", async (_, script) => {
    expect(await approved({ script, policies: [TWO_BY_A_PERSON] })).toMatchObject({
      ran: "12",
      denied: 2,
      breaches: [],
    });
  });

  test("judges the yes of a person to the ask of a policy", async () => {
    const script = IN_ONE_RESPONSE;
    expect(
      await approved({ script, policy: askAPerson(), hooks: [], policies: [TWO_BY_A_PERSON] }),
    ).toMatchObject({
      ran: "12",
      denied: 2,
      breaches: [],
    });
  });

  test("asks about no call that would be denied after a yes", async () => {
    await using rig = await openRig({
      script: IN_ONE_RESPONSE,
      policy: allowEverything(),
      hooks: [ASKS],
      policies: [TWO_BY_A_PERSON],
    });
    let asked = 0;
    const asks = rig.task.asks$.subscribe((ask) => {
      if (ask.kind !== "command") return;
      asked += 1;
      ask.approve();
    });
    await rig.task.run("Go");
    asks.unsubscribe();
    expect(asked).toBe(2);
  });

  test("judges the calls that a rule permits, also beside a hook that amends", async () => {
    const amends = amending("execute_command", ({ command }) => ({ command: `${command} # amended` }));
    for (const hooks of [[], [amends]])
      expect(await approved({ script: IN_ONE_RESPONSE, hooks, policies: [THREE] })).toMatchObject({
        ran: "123",
        denied: 1,
        breaches: [],
      });
  });

  test("judges a call with the arguments that a hook set", async () => {
    const rewrites = amending("write_to_file", () => ({ path: "secret/a.txt" }));
    const sealed: TemporalPolicy = {
      name: "counted",
      clauses: [{ name: "1 by a person", always: not(event({ event: "call.started", path: "secret/**" })) }],
    };
    const script = `- { tool: write_to_file, input: { path: a.txt, content: x } }\n- ${DONE}`;
    const { denied, breaches } = await approved({
      script,
      policy: askAPerson(),
      hooks: [rewrites],
      policies: [sealed],
    });
    expect({ denied, breaches }).toEqual({ denied: 1, breaches: [] });
  });

  test("judges a yes with an amendment as a person's yes, also where a rule would allow the amended call", async () => {
    const write = (name: string): string => `{ tool: write_to_file, input: { path: ${name}, content: x } }`;
    await using rig = await openRig({
      script: `- [${["a", "b", "c"].map((name) => write(`${name}.txt`)).join(", ")}]\n- ${DONE}`,
      policy: allowEverything(),
      hooks: [ASKS],
      policies: [TWO_BY_A_PERSON],
    });
    const asks = rig.task.asks$.subscribe((ask) => {
      if (ask.kind === "tool") ask.approve({ amendment: { content: "edited" } });
    });
    expect(await rig.task.run("Go")).toMatchObject({ result: "Done." });
    asks.unsubscribe();
    expect([await rig.file("a.txt"), await rig.file("b.txt")]).toEqual(["edited", "edited"]);
    await expect(rig.file("c.txt")).rejects.toThrow("ENOENT");
    expect(await breachesIn(rig, rig.task.id, [TWO_BY_A_PERSON])).toEqual([]);
  });

  test("judges commands that run in the background", async () => {
    const runs = RUNS.map((run) => run.replace("cwd: null", "background: true"));
    expect(
      await approved({ script: `- [${runs.join(", ")}]\n- ${DONE}`, policies: [TWO_BY_A_PERSON] }),
    ).toMatchObject({ denied: 2, breaches: [] });
  });

  test("judges a call when its turn comes, by the calls of its response that have ended", async () => {
    const tested = once(event({ event: "call.ended", command: "echo 1", outcome: "done" }));
    const policy: TemporalPolicy = {
      name: "counted",
      clauses: [
        {
          name: "1 by a policy",
          always: implies(event({ event: "call.started", command: "echo 2" }), tested),
        },
      ],
    };
    const both = await approved({
      script: `- [${RUNS[0]}, ${RUNS[1]}]\n- ${DONE}`,
      hooks: [],
      policies: [policy],
    });
    expect(both).toMatchObject({ ran: "12", denied: 0, breaches: [] });
    const second = await approved({
      script: `- [${RUNS[1]}, ${RUNS[0]}]\n- ${DONE}`,
      hooks: [],
      policies: [policy],
    });
    expect(second).toMatchObject({ ran: "1", denied: 1, breaches: [] });
  });

  test("judges the reads of one response one after the other", async () => {
    const read = (name: string) => `{ tool: read_file, input: { path: ${name} } }`;
    const { results, denied, breaches } = await approved({
      script: `- [${read("a.txt")}, ${read("b.txt")}, ${read("c.txt")}]\n- ${DONE}`,
      files: { "a.txt": "A", "b.txt": "B", "c.txt": "C" },
      hooks: [],
      policies: [atMostBy("policy", 2)],
    });
    // A clause that holds with the yes of a person makes the third one an ask.
    expect(results.join()).not.toMatch(DENIED);
    expect({ denied, breaches }).toEqual({ denied: 0, breaches: [] });
  });

  test("asks a person where only a person may permit a call, also in permission mode bypass", async () => {
    await using rig = await openRig({
      script: IN_ONE_RESPONSE,
      policy: askAPerson(),
      permissions: { level: "bypass" },
      policies: [atMostBy("policy", 1)],
    });
    let asked = 0;
    const asks = rig.task.asks$.subscribe((ask) => {
      if (ask.kind !== "command") return;
      asked += 1;
      ask.approve();
    });
    expect(await rig.task.run("Go")).toMatchObject({ result: "Done." });
    asks.unsubscribe();
    expect(asked).toBe(3);
    expect(await breachesIn(rig, rig.task.id, [atMostBy("policy", 1)])).toEqual([]);
  });

  test("denies the yes of a deadline where only a person may permit the call", async () => {
    const policies = [atMostBy("policy", 1)];
    const { ran, denied, breaches } = await (async () => {
      await using rig = await openRig({
        script: IN_ONE_RESPONSE,
        policy: askAPerson(),
        policies,
        expiry: (ask) =>
          ask.ask === "command" ? { afterMs: 1, answer: { kind: "yes" }, rule: "deadline" } : undefined,
      });
      expect(await rig.task.run("Go")).toMatchObject({ result: "Done." });
      return {
        ran: await rig.file("ran.txt"),
        denied: resultsOf(rig.sent().at(-1) ?? []).filter((text) => DENIED.test(text)).length,
        breaches: await breachesIn(rig, rig.task.id, policies),
      };
    })();
    expect({ ran, denied, breaches }).toEqual({ ran: "1\n", denied: 3, breaches: [] });
  });

  test("judges a call again after a change of the permissions and after the task was opened again", async () => {
    await using rig = await openRig({
      script: `- [${RUNS.join(", ")}]\n- [${RUNS.join(", ")}]\n- ${DONE}`,
      policy: allowEverything(),
      hooks: [ASKS],
      policies: [TWO_BY_A_PERSON],
    });
    void rig.task.run("Go").catch(() => undefined);
    const first = await rig.ask("command");
    rig.task.changePermissions({ rules: [{ level: "deny", rule: "read(secret)" }] });
    const again = await rig.ask("command");
    expect(again.id).not.toBe(first.id);
    again.approve();
    await rig.until(({ commit }) => commit.calls.some(({ phase }) => phase === "running"));
    await rig.host.closeAll();
    const { dataDir, dir, model } = rig;
    const host = createHost({ dataDir });
    const fork = await openHistory({ dataDir }).fork(rig.task.id);
    const opened = await host.open(fork.id, {
      model,
      permissions: { policies: [TWO_BY_A_PERSON], judge: allowEverything() },
      hooks: [ASKS],
      workspace: dir,
    });
    const asks = opened.asks$.subscribe((ask) => {
      if (ask.kind === "command") ask.approve();
    });
    await opened.run("Go on");
    asks.unsubscribe();
    await host.closeAll();
    const startedByPerson = readFileSync(path.join(taskFolder(dataDir, opened.id), "journal.jsonl"), "utf8")
      .split("\n")
      .filter((line) => line.includes('"phase":"running"')).length;
    expect(startedByPerson).toBe(2);
    expect(await breachesIn(rig, opened.id, [TWO_BY_A_PERSON])).toEqual([]);
  });

  test("judges the calls of a task and its subtasks together, and a log is checked with the same past", async () => {
    const writes = (name: string) => `{ tool: write_to_file, input: { path: ${name}, content: x } }`;
    const policies = [atMostBy("person", 2)];
    await using rig = await openSubtaskRig(
      scriptByMode(
        { mode: "one", after: "write_to_file", turn: completes("One done.") },
        { mode: "one", turn: `[${writes("b.txt")}, ${writes("c.txt")}]` },
        { mode: "code", after: "new_task", turn: completes("All done.") },
        { mode: "code", turn: subtask("one") },
      ),
      { policies, hooks: [ASKS] },
    );
    const answered = new Set<number>();
    const approve = (task: typeof rig.task) =>
      task.asks$.subscribe((ask) => {
        if (ask.kind !== "tool" || answered.has(ask.id)) return;
        answered.add(ask.id);
        ask.approve();
      });
    approve(rig.task);
    rig.host.opened$.subscribe(approve);
    expect(await rig.task.run("Go")).toMatchObject({ result: "All done." });
    expect(await rig.file("b.txt")).toBe("x");
    await expect(rig.file("c.txt")).rejects.toThrow("ENOENT");
    for (const id of [rig.task.id, `${rig.task.id}.1`])
      expect(await breachesIn(rig, id, policies)).toEqual([]);
    // The parent's start counts in the check of the subtask's log.
    expect(await breachesIn(rig, `${rig.task.id}.1`, [atMostBy("person", 1)])).toHaveLength(1);
  });

  test("judges the paths behind symlinks and the effects of a program's own tools as they are recorded", async () => {
    const journal = async (rig: Rig) =>
      readFileSync(path.join(taskFolder(rig.dataDir, rig.task.id), "journal.jsonl"), "utf8");
    await using rig = await openRig({
      script: `- { tool: read_file, input: { path: a.txt } }\n- ${DONE}`,
      files: { "a.txt": "A" },
      policy: allowEverything(),
      policies: [TWO_BY_A_PERSON],
    });
    await rig.task.run("Go");
    expect(await journal(rig)).toContain('"facts":{"effect":"reads","paths":["a.txt"]}');
  });

  test("judges a refund by the customer that was verified, with the arguments that a hook set", async () => {
    const verifiedFirst: TemporalPolicy = {
      name: "refunds",
      clauses: [
        {
          name: "customer verified",
          always: implies(
            event({ event: "call.started", tool: "refund" }),
            each(
              "argument.customer",
              once(
                event({ event: "call.ended", tool: "verify", outcome: "done", same: "argument.customer" }),
              ),
            ),
          ),
        },
      ],
    };
    const refunded: string[] = [];
    const tool = (name: string, execute: (customer: string) => string) =>
      defineTool({
        name,
        description: "A test's tool.",
        inputSchema: z.object({ customer: z.string().optional() }),
        effect: "none",
        execute: ({ customer = "nobody" }) => execute(customer),
      });
    const call = (name: string, customer?: string): string =>
      `{ tool: ${name}, input: { ${customer === undefined ? "" : `customer: ${customer}`} } }`;
    const run = async (calls: readonly string[], hooks: readonly Hook[]) => {
      refunded.length = 0;
      await using rig = await openRig({
        script: `- [${calls.join(", ")}]\n- ${DONE}`,
        policy: allowEverything(),
        policies: [verifiedFirst],
        hooks,
        tools: [
          tool("verify", () => "Verified."),
          tool("refund", (customer) => {
            refunded.push(customer);
            return "Paid.";
          }),
          ...builtinTools(),
        ],
      });
      expect(await rig.task.run("Go")).toMatchObject({ result: "Done." });
      expect(await breachesIn(rig, rig.task.id, [verifiedFirst])).toEqual([]);
      return [...refunded];
    };
    const all = [
      call("refund", "ann"),
      call("verify", "ann"),
      call("refund", "ann"),
      call("refund", "bob"),
      call("refund"),
    ];
    expect(await run(all, [])).toEqual(["ann"]);
    const toBob = amending("refund", () => ({ customer: "bob" }));
    expect(await run([call("verify", "ann"), call("refund", "ann")], [toBob])).toEqual([]);
  });
});
