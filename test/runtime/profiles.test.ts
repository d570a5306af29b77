import { describe, expect, onTestFinished, test } from "vitest";
import { anthropic } from "../../adapters/index.ts";
import type { ModelSelector } from "../../runtime/options.ts";
import type { Task } from "../../runtime/task/task.ts";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { type MockServer, startMock } from "../../testing/mock/server/server.ts";
import { allowEverything } from "../../tools/index.ts";
import { DONE, openRig, type RigOptions } from "../support/host.ts";
import { completes, openSubtaskRig, scriptByMode, subtask } from "../support/subtasks.ts";

const OPUS = "claude-opus-4-8";
const HAIKU = "claude-haiku-4-5";

/** Another endpoint with its model. */
async function otherModel(script: string, id = HAIKU) {
  const mock = await startMock(parseScript(script));
  onTestFinished(() => mock.close());
  return { mock, model: anthropic({ model: id, apiKey: "mock", baseURL: mock.url }) };
}

const modelsOf = (mock: MockServer | undefined): readonly unknown[] =>
  (mock?.requests ?? []).map(({ body }) => (body as { readonly model?: unknown }).model);
const changesOf = ({ log }: Task): readonly string[] =>
  log.toArray().flatMap(({ text }) => (text?.startsWith("The model changed") ? [text] : []));
/** Both endpoints have the turns of the whole conversation. */
const THREE = `[${DONE}, ${DONE}, ${DONE}]`;
const failuresOf = ({ log }: Task): readonly unknown[] =>
  log.toArray().flatMap(({ ask, text }) => (ask === "api_req_failed" ? [text] : []));
const ANY = { policy: allowEverything(), anthropic: { model: OPUS } } as const satisfies Partial<RigOptions>;

describe("a task with several models", () => {
  test("sends each request to the model of the selected profile, and records which", async () => {
    const other = await otherModel(THREE);
    await using rig = await openRig({
      ...ANY,
      script: THREE,
      models: { named: { fast: other.model } },
    });
    const { task } = rig;
    await task.run("Count");
    expect(task.selectProfile("fast")).toEqual({ ok: true });
    await task.run("Again");
    expect(task.snapshot.context.model).toMatchObject({ id: HAIKU, endpoint: other.mock.url });
    task.selectProfile("default");
    await task.run("And again");
    expect(failuresOf(rig.task)).toEqual([]);
    expect([modelsOf(rig.mock), modelsOf(other.mock)]).toEqual([[OPUS, OPUS], [HAIKU]]);
    expect(changesOf(task)).toHaveLength(2);
    const effects = rig.shown.flatMap(({ commit }) => commit.effects);
    expect(effects.flatMap((effect) => ("profile" in effect ? [effect.profile] : []))).toEqual(["fast"]);
  });

  test("an open request goes on with its model", async () => {
    const other = await otherModel(THREE);
    const script = `[{ tool: list_files, input: { path: . } }, ${DONE}]`;
    await using rig = await openRig({ ...ANY, script, models: { named: { fast: other.model } } });
    rig.task.messages$.subscribe(({ say }) => {
      if (say === "api_req_started" && rig.task.snapshot.context.profile === null)
        rig.task.selectProfile("fast");
    });
    await rig.task.run("Look");
    expect(failuresOf(rig.task)).toEqual([]);
    expect([modelsOf(rig.mock), modelsOf(other.mock)]).toEqual([[OPUS], [HAIKU]]);
  });

  test("a mode selects its profile: by a tool, by the user, and back at the standard model", async () => {
    const other = await otherModel(THREE);
    const script = `[{ tool: switch_mode, input: { mode_slug: architect } }, ${DONE}, ${DONE}]`;
    await using rig = await openRig({
      ...ANY,
      script,
      models: { named: { plans: other.model }, byMode: { architect: "plans" } },
    });
    await rig.task.run("Plan");
    rig.task.switchMode("code");
    await rig.task.run("Do it");
    expect(failuresOf(rig.task)).toEqual([]);
    expect([modelsOf(rig.mock), modelsOf(other.mock)]).toEqual([[OPUS, OPUS], [HAIKU]]);
  });

  test("thinking of one provider is not sent to another, and goes back to its own", async () => {
    const [own1, other2] = [
      "[{ thinking: I wonder. }, { text: Hm. }]",
      "[{ thinking: I ponder. }, { text: Ha. }]",
    ];
    const script = `[${own1}, ${other2}, { text: Yes. }]`;
    const other = await otherModel(script);
    await using rig = await openRig({ ...ANY, script, models: { named: { fast: other.model } } });
    await rig.task.run("Think");
    rig.task.selectProfile("fast");
    await rig.task.run("Think too");
    rig.task.selectProfile("default");
    await rig.task.run("And now?");
    const [sent, own] = [other.mock, rig.mock].map((mock) => JSON.stringify(mock?.requests.at(-1)?.body));
    expect(sent).not.toContain("wonder");
    expect(own).toContain("I wonder.");
    expect(own).not.toContain("ponder");
    expect(own).toContain("Ha.");
  });

  test("keeps the selection when it is opened again, with the standard model in reserve", async () => {
    const other = await otherModel(THREE);
    await using rig = await openRig({
      ...ANY,
      script: THREE,
      models: { named: { fast: other.model } },
    });
    rig.task.selectProfile("fast");
    await rig.task.run("Count");
    await rig.task.close();
    const given: unknown[] = [];
    const policy = allowEverything();
    const model: ModelSelector = (recorded) => {
      given.push(recorded?.id);
      return anthropic({ model: recorded?.id ?? "none", apiKey: "mock", baseURL: rig.mock?.url });
    };
    const models = { default: model, named: { fast: other.model } };
    const again = await rig.host.open(rig.task.id, { permissions: { judge: policy }, models });
    await again.run("Again");
    expect(failuresOf(again)).toEqual([]);
    await again.close();
    expect([modelsOf(rig.mock), modelsOf(other.mock)]).toEqual([[], [HAIKU, HAIKU]]);
    const without = await rig.host.open(rig.task.id, { permissions: { judge: policy }, model });
    expect(without.log.toArray().map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^The profile fast no longer exists: the standard model, claude-opus-4-8/),
    );
    await without.run("And again");
    expect(given).toEqual([OPUS, OPUS]);
    expect(modelsOf(rig.mock)).toEqual([OPUS]);
  });

  test("keeps it while it is passive", async () => {
    const other = await otherModel(THREE);
    await using rig = await openRig({
      ...ANY,
      script: THREE,
      models: { named: { fast: other.model } },
      host: { maxResident: 0 },
    });
    rig.task.selectProfile("fast");
    await rig.task.run("Count");
    expect(await rig.task.passivate()).toBe(true);
    await rig.task.run("Again");
    expect(failuresOf(rig.task)).toEqual([]);
    expect([modelsOf(rig.mock), modelsOf(other.mock)]).toEqual([[], [HAIKU, HAIKU]]);
  });

  test("a subtask has the profile of its mode, or that which the user selected for its parent", async () => {
    const script = scriptByMode(
      { mode: "code", after: "new_task", turn: completes("All done.") },
      { mode: "code", turn: subtask("one") },
      { mode: "one", after: "new_task", turn: completes("One done.") },
      { mode: "one", turn: subtask("two") },
      { mode: "two", turn: completes("Two done.") },
    );
    const [byMode, byUser] = [await otherModel(script), await otherModel(script, OPUS)];
    await using rig = await openSubtaskRig(script, {
      anthropic: { model: "claude-sonnet-4-6" },
      models: { named: { plans: byMode.model, mine: byUser.model }, byMode: { one: "plans" } },
    });
    rig.task.selectProfile("mine");
    expect((await rig.task.run("Do it")).result).toBe("All done.");
    expect([modelsOf(rig.mock), modelsOf(byMode.mock), modelsOf(byUser.mock)]).toEqual([
      [],
      [HAIKU, HAIKU],
      [OPUS, OPUS, OPUS],
    ]);
  });

  test("condenses with the selected model, at its window", async () => {
    const summary = `rules:
  - when: { user: "Write a summary that replaces" }
    turns: [{ text: "A summary." }]
turns: [{ text: One. }, { text: Two. }, ${DONE}]`;
    const mock = await startMock(parseScript(summary));
    onTestFinished(() => mock.close());
    const small = anthropic({ model: HAIKU, apiKey: "mock", baseURL: mock.url, contextWindow: 200 });
    const long = `{ text: "${"One. ".repeat(100)}" }`;
    await using rig = await openRig({
      ...ANY,
      script: `[${long}, ${long}]`,
      models: { named: { small } },
      limits: { condenseKeeps: 0 },
    });
    await rig.task.run("Count");
    await rig.task.run("Go on");
    rig.task.selectProfile("small");
    await rig.task.run("And on");
    expect(failuresOf(rig.task)).toEqual([]);
    expect(rig.task.log.toArray().map(({ say }) => say)).toContain("condense_context");
    expect([modelsOf(rig.mock), new Set(modelsOf(mock))]).toEqual([[OPUS, OPUS], new Set([HAIKU])]);
  });
});

describe("invalid models are invalid options", () => {
  test.each([
    [
      "a mode with an unknown model",
      { byMode: { ask: "gone" } },
      "models.byMode.ask: expected one of default, fast, received gone",
    ],
    [
      "an unknown model that is offered",
      { offered: ["fast", "gone"] },
      "models.offered: expected one of default, fast, received gone",
    ],
    ["a model with the name of the default", { name: "fast" }, "models.named: expected no model fast"],
    ["an empty name", { name: "" }, "models.name"],
  ])("%s", async (_, given, message) => {
    const other = await otherModel(`[${DONE}]`);
    await using rig = await openRig({ ...ANY, script: `[${DONE}]` });
    const models = { default: other.model, named: { fast: other.model }, ...given };
    await expect(rig.host.create({ models, workspace: rig.dir })).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringContaining(message),
    });
  });

  test("the standard model may have a name, and an unknown one is not selected", async () => {
    const other = await otherModel(`[${DONE}]`);
    await using rig = await openRig({
      ...ANY,
      script: `[${DONE}]`,
      models: { named: { fast: other.model }, name: "usual", byMode: { ask: "usual" } },
    });
    expect(() => rig.task.selectProfile("default")).toThrow(
      'The profile is invalid: expected one of usual, fast, got "default".',
    );
    expect(rig.task.selectProfile("usual")).toEqual({ ok: true });
    await rig.task.close();
    expect(rig.task.selectProfile("fast")).toMatchObject({ ok: false, code: "TASK_CLOSED" });
  });
});
