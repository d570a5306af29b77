import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { JsonEventEmitter } from "../../../../client/index.ts";
import { allowEverything } from "../../../../tools/index.ts";
import { jsonEventSchema } from "../../../../wire/index.ts";
import { openRig, type RigOptions } from "../../../support/host.ts";

const CONTENT = "All work and no play. ".repeat(40);
const SCRIPT = `[{ tool: write_to_file, input: { path: a.txt, content: ${JSON.stringify(CONTENT)} } }, { text: Done. }]`;

/** The events of a run that have a denial. */
async function denialsOf(options: Partial<RigOptions>) {
  await using rig = await openRig({ script: SCRIPT, ...options });
  const stdout = new PassThrough({ highWaterMark: 1 << 24 });
  const emitter = new JsonEventEmitter({ mode: "stream-json", stdout });
  emitter.attachToTask(rig.task);
  await rig.task.run("Write it");
  await emitter.flushed();
  const lines = String(stdout.read()).trim().split("\n");
  return lines.map((line) => jsonEventSchema.parse(JSON.parse(line))).filter(({ denial }) => denial);
}

const tool_use = { name: "write_to_file", input: { path: "a.txt", content: CONTENT } };

test("the event of a denial has the call with its whole input, the rule and the reason", async () => {
  expect(
    await denialsOf({ policy: () => ({ kind: "deny", rule: "no writes", reason: "The shop is closed." }) }),
  ).toEqual([
    {
      type: "error",
      id: expect.any(Number),
      content: 'write_to_file: denied by the rule "no writes": The shop is closed.',
      denial: { rule: "no writes" },
      tool_use,
    },
  ]);
});

test("a call that a hook denies before it is shown is in the event of the hook's message", async () => {
  expect(
    await denialsOf({
      policy: allowEverything(),
      hooks: [{ name: "guard", beforeTool: () => ({ kind: "deny", reason: "Not today." }) }],
    }),
  ).toMatchObject([{ type: "assistant", subtype: "hook", denial: { hook: "guard" }, tool_use }]);
});
