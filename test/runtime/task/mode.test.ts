import { describe, expect, test } from "vitest";
import { HostError } from "../../../runtime/task/errors.ts";
import { DONE, openRig } from "../../support/host.ts";

const QUESTION = "{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: left }] } }";

/** The mode in each request. */
const modesOf = (requests: readonly unknown[]): readonly (string | undefined)[] =>
  requests.map((request) => {
    const found = [...JSON.stringify(request).matchAll(/Current mode\\n(\S+?)\\n/g)];
    return found.at(-1)?.[1];
  });

describe("a new mode", () => {
  test("is sent to the model with the next request, and every commit contains it", async () => {
    await using rig = await openRig({ script: `[${QUESTION}, ${DONE}]` });
    const end = rig.task.run("Do it");
    const ask = await rig.ask("question");
    expect(rig.task.switchMode("architect")).toEqual({ ok: true });
    await rig.task.flushed();
    expect(rig.task.snapshot.context.mode).toBe("architect");
    expect(rig.task.state.currentAsk).toBe("followup");
    ask.answer("left");
    await end;
    expect(modesOf(rig.sent())).toEqual(["code", "architect"]);
  });

  test("can be set before the task starts, and is kept when the task is reopened", async () => {
    await using rig = await openRig({ script: `[${DONE}]` });
    rig.task.switchMode("ask");
    await rig.task.run("Do it");
    expect(modesOf(rig.sent())).toEqual(["ask"]);
    rig.task.switchMode("debug");
    await rig.task.close();
    const again = await rig.host.open(rig.task.id, { model: { id: "none", stream: async function* () {} } });
    expect(again.snapshot.context.mode).toBe("debug");
  });

  test.each(["", " ", "two words", "-a", "a\nb", "x".repeat(65), 7])(
    "must be a slug: %j is rejected and changes nothing",
    async (slug) => {
      await using rig = await openRig({ script: `[${DONE}]` });
      const wrong = () => rig.task.switchMode(slug as string);
      expect(wrong).toThrow(HostError);
      expect(wrong).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
      expect(rig.task.snapshot.context.mode).toBe("code");
    },
  );

  test("is rejected by a closed task with TASK_CLOSED", async () => {
    await using rig = await openRig({ script: `[${DONE}]` });
    await rig.task.close();
    expect(rig.task.switchMode("ask")).toMatchObject({ ok: false, code: "TASK_CLOSED" });
    expect(rig.task.snapshot.context.mode).toBe("code");
  });
});
