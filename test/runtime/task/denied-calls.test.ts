import { describe, expect, test } from "vitest";
import { z } from "zod";
import { builtinTools, byRules, defineTool, type Policy } from "../../../tools/index.ts";
import { openRig, type Rig } from "../../support/host.ts";

const refund = defineTool({
  name: "refund",
  displayName: "Refund",
  group: "command",
  effect: "executes",
  description: "Refunds an order.",
  inputSchema: z.object({ order: z.number(), cents: z.number() }),
  execute: async () => "refunded",
});

/** The arguments come in pieces, so that a part of them is shown before the call is denied. */
const call = (tool: string, input: object) => JSON.stringify({ tool, input, chunk: 4, delayMs: 20 });
const script = (turn: string) => `[${turn}, { text: Done. }]`;
const messagesOf = ({ task }: Rig) =>
  task.log
    .toArray()
    .flatMap(({ type, ask, text = "", closing }) =>
      type === "ask" && ask === "tool" ? [{ text, closing }] : [],
    );
const deny: Policy = () => ({ kind: "deny", rule: "no refunds", reason: "Ask the owner." });

describe("the message of a call that does not run says the whole call", () => {
  test.each([
    ["that a policy denies", { policy: deny }, { order: 7, cents: 4900 }],
    ["whose arguments are invalid", { policy: deny }, { order: 7, cents: "4900 cents" }],
    [
      "that a rule denies",
      { policy: byRules({ sources: [{ origin: "o", deny: ["tool(refund)"] }] }) },
      { order: 7, cents: 4900 },
    ],
  ])("%s", async (_, options, input) => {
    await using rig = await openRig({
      ...options,
      tools: [refund, ...builtinTools()],
      script: script(call("refund", input)),
    });
    await rig.task.run("Refund it");
    expect(messagesOf(rig)).toEqual([{ text: expect.stringContaining("4900"), closing: "withdrawn" }]);
  });

  test("of a tool that does not exist", async () => {
    await using rig = await openRig({
      script: script(call("reward", { order: 7, cents: 4900 })),
    });
    await rig.task.run("Reward it");
    expect(messagesOf(rig)).toEqual([{ text: expect.stringContaining("4900"), closing: "withdrawn" }]);
  });

  test("that a person rejects", async () => {
    await using rig = await openRig({
      tools: [refund, ...builtinTools()],
      script: script(call("refund", { order: 7, cents: 4900 })),
    });
    const end = rig.task.run("Refund it");
    (await rig.ask("tool")).reject();
    await end;
    expect(messagesOf(rig)).toEqual([{ text: expect.stringContaining("4900"), closing: "answered" }]);
  });
});
