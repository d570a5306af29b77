import { expect, test } from "vitest";
import { defineProtocol } from "../../../control/protocol.ts";
import type { ResultVerdict } from "../../../control/verdict.ts";
import { NO_USAGE } from "../../../machines/task/request.ts";
import type { ChatModel, ModelEvent } from "../../../ports/model.ts";
import { controllerOf, controlRig, suspicious, verdictsOf } from "../../support/control.ts";
import { hookAt } from "../../support/hooks.ts";
import { DONE } from "../../support/host.ts";
import { call } from "../../support/model.ts";

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

/** A model that starts a command in the background, lets it end, and reads its output. */
const reading: ChatModel = {
  id: "reading",
  async *stream({ messages }): AsyncGenerator<ModelEvent> {
    const said = messages.filter(({ role }) => role === "assistant").length;
    const id = /Its id is \\"(.*?)\\"/.exec(JSON.stringify(messages))?.[1] ?? "";
    const turns = [
      ["execute_command", { command: "mkfifo go; echo ev''il; cat go", background: true }],
      ["execute_command", { command: "until [ -p go ]; do :; done; echo > go" }],
      ["command_output", { id, wait: 60 }],
      ["attempt_completion", { result: "Done." }],
    ] as const;
    const [name, input] = turns[said] ?? turns[3];
    yield* call(name, input, `toolu_${said}`);
    yield { type: "finished", stopReason: "tool_use", usage: NO_USAGE };
  },
};

test("output of a command in the background reaches the model by a call alone, whose result is judged", async () => {
  await using rig = await controlRig(controllerOf(judging(deny), suspicious), { model: reading });
  expect((await rig.task.run("Read")).result).toBe("Done.");
  const sent = JSON.stringify(rig.sent());
  expect(sent).not.toContain("evil");
  expect(sent).toContain("You get its exit code in a later message.");
  expect(sent).toMatch(/ended with exit code 0: .*To read its output, call command_output with the id/);
  expect(verdictsOf(rig).filter((verdict) => verdict.endsWith("deny"))).toHaveLength(1);
});
