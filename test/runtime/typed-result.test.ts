import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { anthropic } from "../../adapters/index.ts";
import { noToolUsed } from "../../machines/conversation/notices.ts";
import { openRig, resultsOf, textsOf } from "../support/host.ts";

const Review = z.object({ verdict: z.enum(["good", "bad"]), score: z.int().min(0).max(10) });
const complete = (result: unknown): string =>
  JSON.stringify({ tool: "attempt_completion", input: { result } });
const GOOD = { verdict: "good", score: 7 };

describe("A run with a result schema", () => {
  it("returns the value that the model passed to attempt_completion, parsed and typed", async () => {
    await using rig = await openRig({ script: `[${complete(GOOD)}]` });
    const end = await rig.task.run("Review it", { result: Review });
    expectTypeOf(end.value).toEqualTypeOf<z.infer<typeof Review> | undefined>();
    expect(end).toMatchObject({
      state: "idle",
      ask: "completion",
      value: GOOD,
      result: JSON.stringify(GOOD),
    });
  });

  it("offers the tool with the schema, and says in the system prompt that it completes the task", async () => {
    await using rig = await openRig({ script: `[${complete(GOOD)}]` });
    await rig.task.run("Review it", { result: Review });
    const body = JSON.stringify(rig.mock?.requests[0]?.body);
    expect(body).toContain('"enum":["good","bad"]');
    expect(body).toContain("say so with attempt_completion");
  });

  it("returns the errors of another value to the model, and completes with the next one", async () => {
    await using rig = await openRig({
      script: `[${complete({ verdict: "fine", score: 7 })}, ${complete(GOOD)}]`,
    });
    expect(await rig.task.run("Review it", { result: Review })).toMatchObject({ value: GOOD });
    expect(resultsOf(rig.sent()[1] ?? [])[0]).toContain("verdict");
  });

  it("asks a person after `limits.mistakes` errors in a row (L14)", async () => {
    const wrong = complete({ verdict: "fine" });
    await using rig = await openRig({ script: `[${wrong}, ${wrong}, ${wrong}]`, limits: { mistakes: 2 } });
    const end = await rig.task.run("Review it", { result: Review });
    expect(end).toMatchObject({ ask: "mistakes" });
    expect(end.value).toBeUndefined();
  });

  it("is not completed by a response without a tool call", async () => {
    await using rig = await openRig({ script: `[{ text: It is good. }, ${complete(GOOD)}]` });
    expect(await rig.task.run("Review it", { result: Review })).toMatchObject({ value: GOOD });
    expect(textsOf(rig.sent()[1] ?? [])).toEqual([noToolUsed("tool")]);
  });

  it("takes a schema that is not an object, and one that transforms", async () => {
    await using rig = await openRig({ script: `[${complete([1, 2])}, ${complete("2026-11-24")}]` });
    expect(await rig.task.run("Count", { result: z.array(z.number()) })).toMatchObject({ value: [1, 2] });
    const Day = z.string().transform((day) => new Date(`${day}T00:00:00Z`));
    expect((await rig.task.run("When?", { result: Day })).value).toEqual(new Date("2026-11-24T00:00:00Z"));
  });

  it("leaves the next run without a schema as the task's options say", async () => {
    await using rig = await openRig({ script: `[${complete(GOOD)}, { text: Done. }]` });
    await rig.task.run("Review it", { result: Review });
    expect(await rig.task.run("And in words")).toMatchObject({ result: "Done." });
    const [first, second] = rig.mock?.requests.map(({ body }) => JSON.stringify(body)) ?? [];
    expect(first).toContain("attempt_completion");
    expect(second).not.toContain('"name":"attempt_completion","description"');
  });

  it("holds for the reply to its completion", async () => {
    await using rig = await openRig({ script: `[${complete(GOOD)}, ${complete({ ...GOOD, score: 9 })}]` });
    await rig.task.run("Review it", { result: Review });
    const end = await rig.task.run("Look again", { result: Review });
    expect(end.value).toEqual({ ...GOOD, score: 9 });
  });

  it("must be given its schema again after the task was reopened", async () => {
    await using rig = await openRig({ script: `[${complete(GOOD)}, { text: Done. }]` });
    await rig.task.run("Review it", { result: Review });
    await rig.task.close();
    const model = anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: rig.mock?.url });
    const task = await rig.host.open(rig.task.id, { model });
    expect(await task.run("And in words")).toMatchObject({ result: "Done." });
  });

  it("rejects a schema that JSON Schema can't express, before anything is sent", async () => {
    await using rig = await openRig({ script: `[${complete(GOOD)}]` });
    await expect(rig.task.run("When?", { result: z.date() })).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringContaining("result schema"),
    });
    expect(rig.sent()).toEqual([]);
  });

  it("refuses a result beyond its limit, and names the limit and the length (L14)", async () => {
    await using rig = await openRig({ script: `[${complete("x".repeat(200_001))}, ${complete("short")}]` });
    expect(await rig.task.run("Write", { result: z.string() })).toMatchObject({ value: "short" });
    expect(resultsOf(rig.sent()[1] ?? [])[0]).toContain("200003 characters as JSON: expected at most 200000");
  });
});
