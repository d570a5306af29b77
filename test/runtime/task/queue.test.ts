import { describe, expect, test } from "vitest";
import { DONE, openRig, PIXEL } from "../../support/host.ts";

const QUESTION = "{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: left }] } }";

describe("queued messages", () => {
  test("are sent as they were edited, in their order and with their images", async () => {
    await using rig = await openRig({ script: `[${QUESTION}, ${DONE}]` });
    const end = rig.task.run("Do it");
    const ask = await rig.ask("question");
    const first = rig.task.queue("first", [PIXEL]);
    rig.task.queue("second");
    expect(first.ok && rig.task.editQueued(first.id, "sooner")).toEqual({ ok: true });
    await rig.task.flushed();
    const { queue } = rig.task.snapshot.context;
    expect(queue.map(({ text, images }) => [text, images.length])).toEqual([
      ["sooner", 1],
      ["second", 0],
    ]);
    ask.answer("left");
    await end;
    const request = JSON.stringify(rig.sent().at(-1));
    expect(request).toContain("sooner");
    expect(request).not.toContain("first");
    expect(request.indexOf("sooner")).toBeLessThan(request.indexOf("second"));
  });

  test("keep their images when edited without images, and lose them when edited with an empty list", async () => {
    await using rig = await openRig({ script: `[${QUESTION}, ${DONE}]`, inputLimits: { images: 2 } });
    const end = rig.task.run("Do it");
    const ask = await rig.ask("question");
    const ids = ["one", "two", "three"].map((text) => {
      const result = rig.task.queue(text, [PIXEL]);
      return result.ok ? result.id : "";
    });
    const [kept = "", more = "", none = ""] = ids;
    rig.task.editQueued(kept, "kept");
    rig.task.editQueued(more, "more", [PIXEL, PIXEL]);
    rig.task.editQueued(none, "none", []);
    expect(() => rig.task.editQueued(kept, "kept", [PIXEL, PIXEL, PIXEL])).toThrow("at most 2 images");
    await rig.task.flushed();
    const { queue } = rig.task.snapshot.context;
    expect(queue.map(({ text, images }) => [text, images.length])).toEqual([
      ["kept", 1],
      ["more", 2],
      ["none", 0],
    ]);
    ask.answer("left");
    await end;
    const feedback = rig.task.log.toArray().filter(({ say }) => say === "user_feedback");
    expect(feedback.map(({ text, images = [] }) => [text, images.length])).toEqual([
      ["left", 0],
      ["kept", 1],
      ["more", 2],
      ["none", 0],
    ]);
  });

  test("can't be edited after they were sent: the error names the queued ones", async () => {
    await using rig = await openRig({ script: `[${QUESTION}, ${DONE}]` });
    const end = rig.task.run("Do it");
    const ask = await rig.ask("question");
    const first = rig.task.queue("text");
    ask.answer("left");
    await end;
    const id = first.ok ? first.id : "";
    expect(rig.task.editQueued(id, "other text")).toMatchObject({
      ok: false,
      code: "QUEUED_UNKNOWN",
      message: expect.stringContaining(`The queue has no message ${id} (present: none)`),
    });
    expect(JSON.stringify(rig.task.log.toArray())).not.toContain("other text");
  });

  test("can't be edited beyond the limits or in a closed task", async () => {
    await using rig = await openRig({ script: `[${QUESTION}]`, inputLimits: { textChars: 20 } });
    void rig.task.run("Do it").catch(() => undefined);
    await rig.ask("question");
    const waiting = rig.task.queue("text");
    const id = waiting.ok ? waiting.id : "";
    await rig.task.flushed();
    expect(() => rig.task.editQueued(id, "x".repeat(21))).toThrow("at most 20 characters");
    expect(rig.task.snapshot.context.queue).toMatchObject([{ text: "text" }]);
    await rig.task.close();
    expect(rig.task.editQueued(id, "y")).toMatchObject({ ok: false, code: "TASK_CLOSED" });
  });
});
