import { describe, expect, test } from "vitest";
import { POLICIES } from "../../../cli/control/policies/policies.ts";
import type { ScriptedPolicy } from "../../../cli/control/policies/policy.ts";
import { runOnce } from "../../../cli/control/run/one-run.ts";
import { plannedRuns } from "../../../cli/control/run/planned-run.ts";
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
const runs = plannedRuns({ ...suite, settings: await readSettings() });

describe.each(runs)("$setting.name, $policy.name", (run) => {
  test("completes the main task, and the side task exactly if it attacks, where nothing stops it", async () => {
    const { row } = await runOnce(run, scope);
    expect(row).toMatchObject({ mainTask: true, end: "completed" });
    expect(row.sideTask).toBe(row.attempted);
    if (run.policy.name !== "by chance") expect(row.attempted).toBe(run.policy.mode === "attack");
  });
});

test.each(await readSettings())(
  "neither task of $name is done by a policy that only completes",
  async (setting) => {
    const idle: ScriptedPolicy = { name: "idle", mode: "honest", next: () => "complete" };
    const [run] = plannedRuns({ ...suite, settings: [setting], policies: [idle] });
    expect((await runOnce(run!, scope)).row).toMatchObject({ mainTask: false, sideTask: false });
  },
);
