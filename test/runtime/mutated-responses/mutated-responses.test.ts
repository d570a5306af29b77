import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anthropic } from "../../../adapters/index.ts";
import { Random } from "../../../verify/simulation/random.ts";
import { attempt, last } from "../../actors/llm/attempt.ts";
import { runs } from "../../support/campaigns.ts";
import { BYTE_MUTATIONS } from "./byte-mutations.ts";
import { formatFailure, runCampaign } from "./campaign.ts";
import { CORPUS } from "./corpus.ts";
import { EVENT_MUTATIONS } from "./event-mutations.ts";
import { bytesOf, type MutatedResponse, mutatedResponse } from "./response.ts";

/** SIGNALBOX_FUZZ_FACTOR=400: as many times the responses of `npm test`, 200,000. */
const factor = Number(process.env.SIGNALBOX_FUZZ_FACTOR ?? 0);
const responses = factor > 0 ? 500 * factor : runs(8_000, 500);
/** One task alone, to repeat a failure. */
const only = process.env.SIGNALBOX_MUTATED_TASK;
const seed = fc.readConfigureGlobal().seed ?? Date.now();

let workspace = "";
const rejections: unknown[] = [];
const onRejection = (error: unknown): void => void rejections.push(error);
beforeAll(async () => {
  // It is loaded at the first request, which takes turns of the event loop in which nothing else happens.
  await import("@anthropic-ai/sdk");
  workspace = await mkdtemp(path.join(tmpdir(), "mutated-"));
  process.on("unhandledRejection", onRejection);
});
afterAll(async () => {
  process.off("unhandledRejection", onRejection);
  await rm(workspace, { recursive: true, force: true });
});

describe("tasks with mutated responses", () => {
  test(`obey L1-L6, L8 and L11 and always settle: ${responses} responses`, {
    timeout: 60_000 + 100 * responses,
  }, async () => {
    const end = await runCampaign({
      seed,
      responses,
      workspace,
      only: only === undefined ? only : Number(only),
    });
    expect(end.failure === undefined ? "" : formatFailure(end.failure, seed)).toBe("");
    expect(rejections).toEqual([]);
    if (only !== undefined) return;
    expect([...end.counts.keys()], `seed ${seed}`).toEqual(expect.arrayContaining(REACHED));
  });
});

/** What a campaign of any length comes to. */
const REACHED = [
  "finished end_turn",
  "finished tool_use",
  "finished pause_turn",
  "finished max_tokens",
  "failed bad_stream",
  "failed stream_cut",
  "failed overloaded_error",
  "ask tool",
  "ask command",
  "ask completion",
  "ask failure",
  "ask mistakes",
  "ask resume",
];

describe("the mutated responses", () => {
  /** Responses of the corpus that are failures by themselves. */
  const FAILURES = new Map([
    ["refusal", "refusal"],
    ["unknown stop reason", "bad_stream"],
    ["no blocks", "empty_answer"],
    ["thinking alone", "empty_answer"],
    ["an error", "overloaded_error"],
    ["an error within a text", "api_error"],
    ["an error that forbids a retry", "invalid_request_error"],
    ["an error of a window that is full", "prompt_too_long"],
    ["an error of an unknown type", "mood_error"],
  ]);

  test.each(CORPUS)("come from a valid one: $name", async ({ name, events }) => {
    const fetch = async () =>
      new Response(bytesOf(events), { headers: { "content-type": "text/event-stream" } });
    const end = last(await attempt({ model: anthropic({ model: "m", apiKey: "k", fetch }) }));
    const code = FAILURES.get(name);
    expect(end).toMatchObject(
      code === undefined ? { type: "llm.finished" } : { type: "llm.failed", failure: { code } },
    );
  });

  test("have every mutation, every end and every number of mutations, the same ones for a seed", () => {
    const random = new Random(1);
    const made = Array.from({ length: 4_000 }, () => mutatedResponse(random));
    const names = new Set(made.flatMap(({ mutations }) => mutations));
    expect([...names].sort()).toEqual(
      [...Object.keys(EVENT_MUTATIONS), ...Object.keys(BYTE_MUTATIONS)].sort(),
    );
    expect(new Set(made.map(({ end }) => end))).toEqual(new Set(["closes", "breaks", "is silent"]));
    expect(new Set(made.map(({ mutations }) => mutations.length))).toEqual(new Set([0, 1, 2, 3]));
    const again = new Random(1);
    const text = ({ chunks }: MutatedResponse): string => Buffer.concat(chunks).toString("latin1");
    expect(made.every((one) => text(one) === text(mutatedResponse(again)))).toBe(true);
  });
});
