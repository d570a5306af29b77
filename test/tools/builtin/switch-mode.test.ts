import { describe, expect, test } from "vitest";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import { modeOf } from "../../../tools/builtin/switch-mode.ts";
import { builtinTools } from "../../../tools/index.ts";
import { runPorts } from "../../support/run-ports.ts";

const tool = builtinTools().find(({ name }) => name === "switch_mode");
if (tool === undefined) throw new Error("Expected a tool switch_mode.");

const call = { mode_slug: "code", reason: "The plan is agreed." };

describe("switch_mode", () => {
  test("is a tool of every mode with a tool ask and without an effect", () => {
    expect(tool).toMatchObject({ group: "always", effect: "none", ask: "tool", replayable: false });
  });

  test("is described with mode and reason", async () => {
    const prepared = tool.prepare(call);
    if (!prepared.ok) throw new Error(prepared.error);
    const { text, paths } = await prepared.call.describe({ workspace: await openWorkspace(".") });
    expect(JSON.parse(text)).toEqual({ tool: "switchMode", mode: "code", reason: "The plan is agreed." });
    expect(paths).toEqual([]);
  });

  test("has a partial text of at most 8 KB as soon as the mode is there", () => {
    expect(tool.partial({ reason: "x" })).toBeUndefined();
    expect(JSON.parse(tool.partial({ mode_slug: "co" }) ?? "")).toMatchObject({
      tool: "switchMode",
      mode: "co",
    });
    const long = tool.partial({ ...call, reason: "x".repeat(100_000) });
    expect(Buffer.byteLength(long ?? "")).toBeLessThanOrEqual(8192);
  });

  test("has no reason in its description if the call gives none", () => {
    expect(tool.partial({ mode_slug: "code" })).toBe('{"tool":"switchMode","mode":"code"}');
  });

  test.each([
    [{ reason: "x" }, "mode_slug"],
    [{ mode_slug: "two words" }, "slug of a mode"],
    [{ ...call, reason: "x".repeat(20_001) }, "at most 20000"],
  ])("rejects %j", (input, word) => {
    const prepared = tool.prepare(input);
    expect(prepared.ok ? "" : prepared.error).toContain(word);
  });

  test("never runs as a tool", async () => {
    const prepared = tool.prepare(call);
    if (!prepared.ok) throw new Error(prepared.error);
    await expect(prepared.call.execute(await runPorts())).rejects.toMatchObject({ code: "NOT_RUN" });
  });

  test("names the mode to switch to", () => {
    expect(modeOf(call)).toEqual({ mode: "code", reason: "The plan is agreed." });
    expect(modeOf({ mode_slug: "ask", reason: null })).toEqual({ mode: "ask", reason: "" });
    expect(modeOf({ mode_slug: "" })).toBeUndefined();
  });
});

test("ask_followup_question rejects a suggestion whose mode is not a slug", () => {
  const prepared = builtinTools()
    .find(({ name }) => name === "ask_followup_question")
    ?.prepare({ question: "Which?", follow_up: [{ text: "This.", mode: "two words" }] });
  expect(prepared).toMatchObject({ ok: false, error: expect.stringContaining("slug of a mode") });
});
