import { expect, test } from "vitest";
import type { ModelProfile } from "../../cli/run/settings.ts";
import { knownModels } from "../../cli/settings/known-models.ts";
import { environmentOf } from "../../cli/settings/model.ts";
import { Settings } from "../../settings/schema.ts";

const LOCAL: ModelProfile = {
  name: "local",
  provider: "openai-compatible",
  model: "qwen3-coder",
  endpoint: "http://127.0.0.1:1/v1",
  apiKey: "a-secret",
  keySource: "LOCAL_KEY",
  fallback: ["team"],
};

const known = (models: object, env: NodeJS.ProcessEnv, profiles: readonly ModelProfile[] = []) =>
  knownModels({ settings: Settings.parse({ version: 1, models }) }, environmentOf(env), profiles).known;

test("a task can select the models of the table and of the settings, of providers with a key", () => {
  const names = known(
    { "openai/house-1": { contextWindow: 1_000 }, "openai/house-*": { maxTokens: 100 } },
    { OPENAI_API_KEY: "any" },
  ).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["openai/gpt-5", "openai/house-1"]));
  expect(names.filter((name) => !name.startsWith("openai/") || name.endsWith("*"))).toEqual([]);
  expect(known({ "openai/house-1": { contextWindow: 1_000 } }, {})).toEqual([]);
});

test("a model without an endpoint uses the endpoint of the first profile that has one, with its key", () => {
  const models = { "openai-compatible/a/b": { contextWindow: 1_000 } };
  expect(known(models, {})).toEqual([]);
  expect(known(models, {}, [LOCAL])).toEqual([
    { ...LOCAL, fallback: undefined, name: "openai-compatible/a/b", model: "a/b" },
  ]);
});
