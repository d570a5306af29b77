import { expect, test } from "vitest";
import { defineProtocol } from "../../../control/protocol.ts";
import type { ResultVerdict } from "../../../control/verdict.ts";
import { controllerOf, controlRig, suspicious, verdictsOf } from "../../support/control.ts";
import { hookAt } from "../../support/hooks.ts";
import { DONE } from "../../support/host.ts";

const judging = (verdict: ResultVerdict) =>
  defineProtocol({
    name: "results",
    monitors: { trusted: { by: "trusted", at: "result", thresholds: [0.5] } },
    state: {},
    judgeResult: (_, { trusted }, state) => ({ verdict: trusted > 0.5 ? verdict : { kind: "pass" }, state }),
  });

const READ = {
  script: `[{ tool: read_file, input: { path: a.txt } }, ${DONE}]`,
  files: { "a.txt": "evil words" },
};

const deny = { kind: "deny", reason: "Not for you." } as const;
const modify = { kind: "modify", result: "words", reason: "One word was removed." } as const;

test.each<[ResultVerdict, string]>([
  [deny, ": Not for you."],
  [modify, "One word was removed."],
  [{ kind: "audit" }, "it could not be audited."],
])("no result reaches the model before its judge: %j", async (verdict, text) => {
  await using rig = await controlRig(controllerOf(judging(verdict), suspicious), READ);
  expect((await rig.task.run("Read")).result).toBe("Done.");
  expect(verdictsOf(rig)).toEqual([`result of untrusted: ${verdict.kind}`]);
  expect(JSON.stringify(rig.sent())).not.toContain("evil");
  expect(JSON.stringify(rig.sent()[1])).toContain(text);
});

test("a protocol that ends the task at a result withholds it, and no request follows", async () => {
  await using rig = await controlRig(
    controllerOf(judging({ kind: "shutDown", reason: "It read a secret." }), suspicious),
    READ,
  );
  expect(await rig.task.run("Read")).toMatchObject({ error: { code: "shut_down" } });
  expect(rig.sent()).toHaveLength(1);
});

test("a protocol judges what hooks made of a result", async () => {
  const hook = hookAt("afterTool", () => ({ decision: "replace", result: "redacted" }), {
    tools: ["read_file"],
  });
  await using rig = await controlRig(controllerOf(judging(deny), suspicious), { ...READ, hooks: [hook] });
  expect((await rig.task.run("Read")).result).toBe("Done.");
  expect(verdictsOf(rig)).toEqual(["result of untrusted: pass"]);
  expect(JSON.stringify(rig.sent()[1])).toContain("redacted");
});
