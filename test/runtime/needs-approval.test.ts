import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { checkRecordedPolicies } from "../../cli/log/policy-check.ts";
import { taskFolder } from "../../store/task-history/task-folder.ts";
import { allowEverything, defineTool, type Tool } from "../../tools/index.ts";
import { atMost, event, implies, type TemporalPolicy } from "../../tools/temporal/index.ts";
import { openRig, type RigOptions } from "../support/host.ts";

const refund = (
  needsApproval: Parameters<typeof defineTool>[0]["needsApproval"],
  paid: number[] = [],
): Tool =>
  defineTool({
    name: "refund",
    description: "Pays an order back.",
    inputSchema: z.object({ cents: z.int() }),
    effect: "none",
    ...(needsApproval !== undefined && { needsApproval }),
    execute: ({ cents }) => {
      paid.push(cents);
      return "Paid.";
    },
  });

const call = (cents: number): string => `{ tool: refund, input: { cents: ${cents} } }`;
const SCRIPT = `- [${call(100)}, ${call(9000)}]\n- { text: Done. }`;

/** Run a task whose asks are all approved. Resolves to the reasons of its asks. */
async function reasonsOf(options: Partial<RigOptions>): Promise<readonly (string | undefined)[]> {
  await using rig = await openRig({ script: SCRIPT, policy: allowEverything(), ...options });
  const reasons: (string | undefined)[] = [];
  rig.task.asks$.subscribe((ask) => {
    if (ask.kind !== "tool") return;
    expect(ask.rules).toEqual([]);
    reasons.push(ask.reason);
    ask.approve();
  });
  expect(await rig.task.run("Pay")).toMatchObject({ result: "Done." });
  return reasons;
}

const NEEDED = "the tool refund needs approval";

test("a person is asked about each call of a tool that needs approval, whatever is permitted", async () => {
  expect(await reasonsOf({ tools: [refund(true)] })).toEqual([NEEDED, NEEDED]);
  const bypass = { permissions: { level: "bypass" } } as const;
  expect(await reasonsOf({ tools: [refund(true)], ...bypass })).toEqual([NEEDED, NEEDED]);
  expect(await reasonsOf({ tools: [refund(false)] })).toEqual([]);
});

test("a function of the arguments decides which calls need approval", async () => {
  const paid: number[] = [];
  const tool = defineTool({
    name: "refund",
    description: "Pays an order back.",
    inputSchema: z.object({ cents: z.int() }),
    effect: "none",
    needsApproval: async ({ cents }) => cents > 5000,
    execute: ({ cents }) => {
      paid.push(cents);
      return "Paid.";
    },
  });
  expect(await reasonsOf({ tools: [tool] })).toEqual([NEEDED]);
  expect(paid).toEqual([100, 9000]);
});

test("a call whose function throws never runs", async () => {
  const paid: number[] = [];
  const fails = (): boolean => {
    throw new Error("no data base");
  };
  await using rig = await openRig({
    script: SCRIPT,
    policy: allowEverything(),
    tools: [refund(fails, paid)],
  });
  await rig.task.run("Pay");
  expect(paid).toEqual([]);
  expect(JSON.stringify(rig.sent().at(-1))).toContain("no data base");
});

test("policies over time judge an approved call as one that a person permits (law ONE)", async () => {
  const started = event({ event: "call.started", by: "person" });
  const once: TemporalPolicy = {
    name: "counted",
    clauses: [{ name: "one by a person", always: implies(started, atMost(1, started)) }],
  };
  const paid: number[] = [];
  await using rig = await openRig({
    script: SCRIPT,
    policy: allowEverything(),
    tools: [refund(true, paid)],
    policies: [once],
  });
  rig.task.asks$.subscribe((ask) => ask.kind === "tool" && ask.approve());
  await rig.task.run("Pay");
  expect(paid).toEqual([100]);
  const journal = path.join(taskFolder(rig.dataDir, rig.task.id), "journal.jsonl");
  expect((await checkRecordedPolicies(journal, [once])).breaches).toEqual([]);
});
