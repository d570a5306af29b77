import { describe, expect, test } from "vitest";
import type { HookDecision, HookInput } from "../../../tools/index.ts";
import { hookAt, hookRig, lastResults, run, WRITES } from "../../support/hooks.ts";
import { DONE, textsOf } from "../../support/host.ts";

describe("A hook after a call", () => {
  test("sees the result, and its text goes with it", async () => {
    const seen: HookInput[] = [];
    const hooks = [
      hookAt("afterTool", (input) => void seen.push(input), WRITES),
      hookAt("afterWrite", (input) => {
        seen.push(input);
        return { context: `Wrote ${input.paths.join()}.` };
      }),
    ];
    await using rig = await hookRig(hooks);
    expect((await run(rig)).result).toBe("Done.");
    const call = { tool: "write_to_file", mode: "code", effect: "writes", workspace: rig.task.workspace };
    const result = { kind: "done", text: expect.stringContaining("a.txt") };
    expect(seen).toMatchObject([
      { point: "afterTool", ...call, result },
      { point: "afterWrite", ...call, result, paths: ["a.txt"] },
    ]);
    expect(textsOf(rig.sent()[1] ?? []).join()).toContain("Hook: afterWrite\nWrote a.txt.");
  });

  test.each<[string, HookDecision, string]>([
    ["denies", { decision: "deny", reason: "leaks." }, 'denied by the hook "afterTool": leaks.'],
    ["asks", { decision: "ask", reason: "odd." }, 'denied by the hook "afterTool": odd.'],
    ["amends", { decision: "amend", arguments: {} }, "a result can't be amended."],
  ])("that %s withholds the result from the model", async (_, decision, message) => {
    const hook = hookAt("afterTool", () => decision, { tools: ["read_file"] });
    await using rig = await hookRig([hook], {
      script: `[{ tool: read_file, input: { path: a.txt } }, ${DONE}]`,
      files: { "a.txt": "password" },
    });
    expect((await run(rig)).result).toBe("Done.");
    expect(lastResults(rig)).toContain(message);
    expect(JSON.stringify(rig.sent())).not.toContain("password");
  });
});
