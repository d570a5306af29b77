import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type AnthropicOptions, anthropic } from "../../adapters/index.ts";
import { modelOf } from "../../adapters/providers/named-model.ts";
import type { ModelRef } from "../../machines/task/task.events.ts";
import type { ModelSelector } from "../../runtime/options.ts";
import type { Task } from "../../runtime/task/task.ts";
import { DONE, openRig } from "../support/host.ts";
import { complete, scripted } from "../support/model.ts";
import { completes, openSubtaskRig, scriptByMode, subtask } from "../support/subtasks.ts";

const OPUS = "claude-opus-4-8";
const HAIKU = "claude-haiku-4-5";
const namesOf = (bodies: readonly { readonly body: unknown }[]): unknown[] =>
  bodies.map(({ body }) => (body as { readonly model?: unknown }).model);
const changesOf = ({ log }: Task): readonly string[] =>
  log.toArray().flatMap(({ text }) => (text?.startsWith("The model changed") ? [text] : []));
const adapterOf = (options: Partial<AnthropicOptions>) =>
  anthropic({ model: OPUS, apiKey: "mock", ...options });

describe("a task keeps its model", () => {
  test("a function selects it: undefined for a new task, the recorded model for one that is opened", async () => {
    await using rig = await openRig({
      script: `[{ text: One. }, { text: Two. }]`,
      anthropic: { model: OPUS },
    });
    await rig.task.run("Count");
    await rig.task.close();
    const given: (ModelRef | undefined)[] = [];
    const model: ModelSelector = (recorded) => {
      given.push(recorded);
      return adapterOf({ model: recorded?.id ?? HAIKU, baseURL: recorded?.endpoint ?? rig.mock?.url });
    };
    const task = await rig.host.open(rig.task.id, { model });
    await task.run("Go on");
    await rig.host.create({ model, workspace: rig.dir });
    expect(given).toEqual([
      { provider: "anthropic", id: OPUS, endpoint: rig.mock?.url, contextWindow: 1_000_000 },
      undefined,
    ]);
    expect(namesOf(rig.mock?.requests ?? [])).toEqual([OPUS, OPUS]);
    expect(changesOf(task)).toEqual([]);
  });

  test("another model is used where it is given, and a message says so once", async () => {
    await using rig = await openRig({
      script: `[{ text: One. }, { text: Two. }, { text: Three. }]`,
      anthropic: { model: OPUS },
    });
    await rig.task.run("Count");
    await rig.task.close();
    const url = rig.mock?.url;
    const model = adapterOf({ model: HAIKU, baseURL: url });
    for (const prompt of ["Go on", "And on"]) {
      const task = await rig.host.open(rig.task.id, { model });
      await task.run(prompt);
      expect(changesOf(task)).toEqual([
        `The model changed from ${OPUS} (anthropic, ${url}) to ${HAIKU} (anthropic, ${url}).`,
      ]);
      await task.close();
    }
    expect(namesOf(rig.mock?.requests ?? [])).toEqual([OPUS, HAIKU, HAIKU]);
  });

  test("a subtask uses the model of its parent", async () => {
    const script = scriptByMode(
      { mode: "code", after: "new_task", turn: completes("All done.") },
      { mode: "code", turn: subtask("one") },
      { mode: "one", turn: completes("One done.") },
    );
    await using rig = await openSubtaskRig(script, { anthropic: { model: OPUS } });
    await rig.task.run("Do it");
    expect(namesOf(rig.mock?.requests ?? [])).toEqual([OPUS, OPUS, OPUS]);
    expect(rig.task.snapshot.context.model?.id).toBe(OPUS);
  });

  test("a model without a provider is recorded as custom", async () => {
    await using rig = await openRig({ model: scripted([() => complete()]) });
    await rig.task.run("Do it");
    expect(rig.task.snapshot.context.model).toEqual({ provider: "custom", id: "scripted" });
  });

  test("a name selects a model of a provider, whose key and endpoint come from the environment", async () => {
    await using rig = await openRig({ script: `[{ text: One. }, { text: Two. }]` });
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("ANTHROPIC_API_KEY", "mock");
    vi.stubEnv("ANTHROPIC_BASE_URL", rig.mock?.url);
    const task = await rig.host.create({
      models: { default: `anthropic/${OPUS}`, named: { fast: `anthropic/${HAIKU}` } },
      workspace: rig.dir,
    });
    await task.run("Count");
    task.selectProfile("fast");
    await task.run("Go on");
    expect(namesOf(rig.mock?.requests ?? [])).toEqual([OPUS, HAIKU]);
    expect(task.snapshot.context.model).toMatchObject({ provider: "anthropic", id: HAIKU });
  });

  test.each([
    ["openai/gpt-5", { provider: "openai", id: "gpt-5" }],
    ["google/gemini-2.5-pro", { provider: "google", id: "gemini-2.5-pro" }],
    ["openai/ft:gpt-5/team", { provider: "openai", id: "ft:gpt-5/team" }],
  ] as const)("the name %s selects a model of its provider", (name, expected) => {
    expect(modelOf(name)).toMatchObject(expected);
  });

  test.each(["claude-opus-4-8", "openai/", "/gpt-5", "openai-compatible/qwen3", "toString/x", ""])(
    "the name '%s' is an invalid option, and the message has the forms of names",
    async (name) => {
      await using rig = await openRig({ script: `[${DONE}]` });
      const model = name as `openai/${string}`;
      const refused = {
        code: "OPTION_INVALID",
        message: expect.stringContaining("the name of one: anthropic/ID, openai/ID, google/ID"),
      };
      const workspace = rig.dir;
      await expect(rig.host.create({ model, workspace })).rejects.toMatchObject(refused);
      await expect(rig.host.create({ model: () => model, workspace })).rejects.toMatchObject(refused);
      const models = { default: "anthropic/x", named: { other: model } } as const;
      await expect(rig.host.create({ models, workspace })).rejects.toMatchObject(refused);
    },
  );

  test("a function that selects no model is an invalid option", async () => {
    await using rig = await openRig({ script: `[${DONE}]` });
    const model = (() => ({ id: "m" })) as unknown as ModelSelector;
    await expect(rig.host.create({ model, workspace: rig.dir, id: "x" })).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringMatching(/selected model .*stream/),
    });
    expect(rig.host.tasks.has("x")).toBe(false);
  });

  test("a context window that is not a positive whole number is an invalid option", async () => {
    await using rig = await openRig({ script: `[${DONE}]` });
    for (const contextWindow of [0, -1, 0.5, Number.NaN])
      await expect(
        rig.host.create({ model: adapterOf({ contextWindow }), workspace: rig.dir }),
      ).rejects.toMatchObject({
        code: "OPTION_INVALID",
        message: expect.stringContaining("contextWindow"),
      });
  });
});
