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

  test("adds one text to a request that is sent again after failures, and sees the user's text each time", async () => {
    let attempts = 0;
    const hook = hookAt("beforeRequest", ({ text }) => {
      attempts += 1;
      return { context: `Attempt ${attempts} of "${/Do it/.exec(text)?.[0]}".` };
    });
    await using rig = await hookRig([hook], { script: `[{ status: 500 }, { status: 500 }, ${DONE}]` });
    expect((await run(rig)).result).toBe("Done.");
    expect([attempts, rig.sent().length]).toEqual([3, 3]);
    expect(hookMessages(rig)).toEqual(['beforeRequest: Attempt 1 of "Do it".']);
    expect(JSON.stringify(rig.sent()[2]).match(/Attempt \d/g)).toEqual(["Attempt 1"]);
  });

  test("adds another text after the user has said more to a request that failed", async () => {
    let attempts = 0;
    const hook = hookAt("beforeRequest", () => {
      attempts += 1;
      return { context: `Attempt ${attempts}.` };
    });
    await using rig = await hookRig([hook], { script: "[{ status: 400 }]" });
    expect(await run(rig)).toMatchObject({ ask: "failure" });
    await rig.task.run("Shorter.");
    expect(hookMessages(rig)).toEqual(["beforeRequest: Attempt 1.", "beforeRequest: Attempt 2."]);
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
      expect(await run(rig)).toMatchObject({ state: "idle", ask: "failure" });
      expect(rig.sent()).toEqual([]);
      expect(rig.task.log.at(-1)?.text).toBe(`The request was denied by the hook "beforeRequest": ${reason}`);
      expect((await rig.task.run()).result).toBe("Done.");
    },
  );
});
