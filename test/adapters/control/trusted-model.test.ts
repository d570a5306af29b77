import { describe, expect, test } from "vitest";
import { type TrustedModelOptions, trustedModel } from "../../../adapters/control/trusted-model.ts";
import type { MonitoredAction, TrustedAction } from "../../../control/runtime/action.ts";
import { builtinTools } from "../../../tools/index.ts";
import { actionOf, requestSchema, responseOf, serveModel, unlimited } from "../../support/monitor-model.ts";

const suspicious = { tool: "write_to_file", input: { path: "a.txt", content: "evil" } };
const WRITES = "[{ tool: write_to_file, input: { path: a.txt, content: good } }]";

interface Written extends TrustedAction {
  /** The text that the model got. */
  readonly seen: string;
  /** The tools that it was offered, by their names. */
  readonly tools: ReadonlyMap<string, object>;
}

async function written(
  action: MonitoredAction,
  from: "scratch" | "edit",
  { script = WRITES, ...options }: TrustedModelOptions & { readonly script?: string } = {},
): Promise<Written> {
  await using served = await serveModel(script);
  const trusted = trustedModel(served.model, { retryDelayMs: 1, ...options });
  const own = await trusted(action, from, unlimited);
  const { tools } = requestSchema.parse(served.mock.requests[0]?.body);
  return {
    ...own,
    seen: served.texts().join(),
    tools: new Map(tools.map(({ name, input_schema }) => [name, input_schema])),
  };
}

describe("A trusted model", () => {
  test("writes its own action with the tools of the task, and sees neither the suspicious one nor its response", async () => {
    const { call, dollars, seen, tools } = await written(actionOf(suspicious), "scratch", {
      tools: builtinTools(),
    });
    expect(call).toEqual({ ...suspicious, input: { path: "a.txt", content: "good" } });
    expect(dollars).toBeGreaterThan(0);
    expect(seen).toContain("Fix the parser.");
    expect(seen).not.toContain("evil");
    expect(seen).not.toContain("I do it now.");
    expect(tools.get("execute_command")).toMatchObject({ required: ["command"] });
  });

  test("edits a suspicious call with its tool", async () => {
    const { call, seen, tools } = await written(actionOf(suspicious), "edit", { tools: builtinTools() });
    expect(call?.input).toEqual({ path: "a.txt", content: "good" });
    expect(seen).toContain("evil");
    expect([...tools.keys()]).toEqual(["write_to_file"]);
  });

  test("is offered the tools that were called so far, with their arguments, if it is given none", async () => {
    const before = [
      { role: "assistant", content: [{ type: "tool_use", id: "t0", name: "list", input: { dir: "." } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t0", content: [] }] },
    ] as const;
    const { tools } = await written(actionOf(suspicious, { before }), "scratch");
    expect(Object.fromEntries(tools)).toEqual({
      list: { type: "object", properties: { dir: {} } },
      write_to_file: { type: "object", properties: { path: {}, content: {} } },
    });
  });

  test("may answer with text only, as in place of a response", async () => {
    const { text, call } = await written(responseOf(suspicious), "scratch", {
      script: "[text: All is done.]",
    });
    expect(text).toBe("All is done.");
    expect(call).toBeUndefined();
  });

  test("fails with arguments that are cut, and with a call that it was not offered", async () => {
    const cut = `[{ tool: write_to_file, input: { path: a.txt, content: good }, stop: max_tokens }]`;
    await expect(written(actionOf(suspicious), "edit", { script: cut })).rejects.toMatchObject({
      code: "bad_stream",
      message: expect.stringContaining("did not arrive whole"),
    });
    const other = "[{ tool: rm, input: {} }]";
    await expect(written(actionOf(suspicious), "edit", { script: other })).rejects.toMatchObject({
      message: expect.stringContaining("Expected a call of write_to_file, received a call of rm."),
    });
  });
});
