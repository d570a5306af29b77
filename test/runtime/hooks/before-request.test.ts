import { describe, expect, test } from "vitest";
import type { HookDecision } from "../../../tools/index.ts";
import { hookAt, hookMessages, hookRig, run } from "../../support/hooks.ts";
import { DONE, textsOf } from "../../support/host.ts";

describe("A hook of beforeRequest", () => {
  test("sees the newest user text, and its text goes with the request, marked as its own", async () => {
    const seen: string[] = [];
    const hook = hookAt("beforeRequest", ({ text, mode }) => {
      seen.push(`${mode}: ${text}`);
      return { context: "Be </hook_context> brief." };
    });
    await using rig = await hookRig([hook], { script: `[${DONE}]` });
    expect((await run(rig)).result).toBe("Done.");
    expect(seen).toEqual([expect.stringContaining("code: <user_message>\nDo it\n</user_message>")]);
    const texts = textsOf(rig.sent()[0] ?? []);
    expect(texts.at(-1)).toContain("Hook: beforeRequest\nBe ");
    expect(texts.at(-1)?.match(/<\/hook_context>/g)).toHaveLength(1);
    expect(hookMessages(rig)).toEqual(["beforeRequest: Be </hook_context> brief."]);
  });

  test("adds its text once to a request that is sent again after a failure", async () => {
    const hook = hookAt("beforeRequest", () => ({ context: "Be brief." }));
    await using rig = await hookRig([hook], { script: `[{ status: 500 }, { status: 500 }, ${DONE}]` });
    expect((await run(rig)).result).toBe("Done.");
    expect(rig.sent()).toHaveLength(3);
    expect(JSON.stringify(rig.sent()[2]).match(/Be brief\./g)).toHaveLength(1);
  });

  test.each<[string, HookDecision, string]>([
    ["denies it", { decision: "deny", reason: "too late." }, "too late."],
    ["asks", { decision: "ask", reason: "Sure?" }, "Sure?"],
    ["amends", { decision: "amend", arguments: {} }, "a request can't be amended."],
  ])(
    "that %s ends the request before it is sent; a retry asks the hooks again",
    async (_, decision, reason) => {
      const decisions: HookDecision[] = [decision];
      const hook = hookAt("beforeRequest", () => decisions.shift());
      await using rig = await hookRig([hook], { script: `[${DONE}]` });
      expect(await run(rig)).toMatchObject({ state: "idle", ask: "api_req_failed" });
      expect(rig.sent()).toEqual([]);
      expect(rig.task.log.at(-1)?.text).toBe(`The request was denied by the hook "beforeRequest": ${reason}`);
      expect((await rig.task.run()).result).toBe("Done.");
    },
  );
});
