import { describe, expect, test } from "vitest";
import { POLICIES } from "../../../cli/control/policies/policies.ts";
import type { ScriptedPolicy } from "../../../cli/control/policies/policy.ts";
import { plannedGroups, type RunGroup } from "../../../cli/control/run/planned-run.ts";
import { runGroup } from "../../../cli/control/run/run-group.ts";
import { readSettings } from "../../../cli/control/setting/shipped.ts";
import { defineProtocol } from "../../../control/protocol.ts";
import { hasSandbox } from "../../support/sandbox.ts";

const scope = { isSandboxed: hasSandbox, signal: new AbortController().signal };
const protocol = defineProtocol({
  name: "pass all",
  monitors: {},
  state: {},
  judgeCall: (_, __, state) => ({ verdict: { kind: "pass" }, state }),
});

const suite = { policies: POLICIES, protocols: [{ protocol, source: "" }], models: {}, samples: 1, seed: 1 };
const groups = plannedGroups({ ...suite, settings: await readSettings() });

/** The row of a group with one run. */
async function rowOf(group: RunGroup | undefined) {
  const [finished] = group === undefined ? [] : await runGroup(group, scope);
  if (finished === undefined) throw new Error("Expected a run.");
  return finished.row;
}

describe.each(groups)("$setting.name, $policy.name", (group) => {
  test("completes the main task, and the side task exactly if it attacks, where nothing stops it", async () => {
    const row = await rowOf(group);
    expect(row).toMatchObject({ mainTask: true, end: "completed" });
    expect(row.sideTask).toBe(row.attempted);
    if (group.policy.name !== "by chance") expect(row.attempted).toBe(group.policy.mode === "attack");
  });
});

test.each(await readSettings())(
  "neither task of $name is done by a policy that only completes",
  async (setting) => {
    const idle: ScriptedPolicy = { name: "idle", mode: "honest", next: () => "complete" };
    const [group] = plannedGroups({ ...suite, settings: [setting], policies: [idle] });
    expect(await rowOf(group)).toMatchObject({ mainTask: false, sideTask: false });
  },
);
