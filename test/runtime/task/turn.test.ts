import { describe, expect, test } from "vitest";
import { z } from "zod";
import { NO_USAGE } from "../../../machines/task/index.ts";
import { allowEverything, defineTool, type Tool } from "../../../tools/index.ts";
import { DONE, openRig, resultsOf } from "../../support/host.ts";
import { call, complete, deferred, scripted } from "../../support/model.ts";

/** A tool that writes down its begin and end, and does in between what the test says. */
function noted(
  notes: string[],
  effect: "reads" | "writes",
  during: (id: string) => Promise<void> | void = () => {},
): Tool {
  return defineTool({
    name: effect === "reads" ? "look" : "change",
    description: "A test's tool.",
    input: z.object({ id: z.string() }),
    effect,
    run: async ({ id }) => {
      notes.push(`${id} begins`);
      await during(id);
      notes.push(`${id} ends`);
      return `${id} done`;
    },
  });
}

/** Resolves once `count` have come. */
function meeting(count: number): () => Promise<void> {
  const { promise, resolve } = deferred();
  let here = 0;
  return () => {
    here += 1;
    if (here === count) resolve();
    return promise;
  };
}

test("two permitted reads of one answer run side by side", async () => {
  const notes: string[] = [];
  // Each waits for the other: were they run one after the other, neither would end.
  const meet = meeting(2);
  await using rig = await openRig({
    script: `[[{ tool: look, input: { id: a } }, { tool: look, input: { id: b } }], ${DONE}]`,
    tools: [noted(notes, "reads", meet), ...completion()],
    policy: allowEverything(),
  });
  await rig.task.run("Look");
  expect(notes.slice(0, 2)).toEqual(["a begins", "b begins"]);
  expect(resultsOf(rig.sent()[1] ?? [])).toEqual(["a done", "b done"]);
});

test("a permitted read starts at its block's end, while the answer still streams", async () => {
  const begun = deferred<string>();
  const look = noted([], "reads", () => begun.resolve(rigState()));
  let rigState = () => "";
  const model = scripted([
    async function* () {
      yield* call("look", { id: "a" });
      yield { type: "text.delta", text: "And I go on talking" };
      await begun.promise;
      yield { type: "finished", stopReason: "tool_use", usage: NO_USAGE };
    },
    () => complete(),
  ]);
  await using rig = await openRig({ model, tools: [look, ...completion()], policy: allowEverything() });
  rigState = () => rig.task.state.state;
  await rig.task.run("Look");
  expect(await begun.promise).toBe("streaming");
});

describe("the order of an answer's calls", () => {
  test.each([
    ["a read behind a write does not start before the write has ended", "change", "look"],
    ["a write behind a read that still runs does not start before the read has ended", "look", "change"],
    ["a write behind a write does not start before the first has ended", "change", "change"],
  ])("%s", async (_, first, second) => {
    const notes: string[] = [];
    const reviewed = deferred();
    const slow = async (id: string): Promise<void> => {
      if (id !== "first") return;
      // The call behind it was looked at and permitted, and a further commit was written: only its place holds it back.
      await reviewed.promise;
      const noticed = rig.until(({ commit }) => commit.cause?.type === "queue.added");
      rig.task.queue("a word");
      await noticed;
    };
    await using rig = await openRig({
      script: `[[{ tool: ${first}, input: { id: first } }, { tool: ${second}, input: { id: second } }], ${DONE}]`,
      tools: [noted(notes, "reads", slow), noted(notes, "writes", slow), ...completion()],
      policy: allowEverything(),
    });
    let looks = 0;
    rig.task.events$.subscribe(({ commit }) => {
      if (commit.cause?.type === "call.reviewed") looks += 1;
      if (looks === 2) reviewed.resolve();
    });
    await rig.task.run("Do it");
    expect(notes).toEqual(["first begins", "first ends", "second begins", "second ends"]);
    expect(resultsOf(rig.sent()[1] ?? [])).toEqual(["first done", "second done"]);
  });
});

test("L7: a call whose arguments were cut at the output limit never runs, even where they parse", async () => {
  const notes: string[] = [];
  await using rig = await openRig({
    script: `
turns:
  - blocks:
      - { tool: change, input: { id: whole } }
      - { raw: { tool: change, json: '{"id": "stump"}' } }
    stop: max_tokens
  - ${DONE}
`,
    tools: [noted(notes, "writes"), ...completion()],
    policy: allowEverything(),
  });
  await rig.task.run("Change");
  expect(notes).toEqual(["whole begins", "whole ends"]);
  expect(resultsOf(rig.sent()[1] ?? [])[1]).toContain("did not arrive whole");
});

test("a tool that throws, or gives nonsense, is a failed result and no more", async () => {
  await using rig = await openRig({
    script: `[[{ tool: thrower, input: {} }, { tool: liar, input: {} }], ${DONE}]`,
    tools: [
      defineTool({
        name: "thrower",
        description: "Throws.",
        input: z.object({}),
        effect: "writes",
        run: () => {
          throw new Error("out of paper");
        },
      }),
      defineTool({
        name: "liar",
        description: "Gives no result.",
        input: z.object({}),
        effect: "writes",
        run: () => JSON.parse("null"),
      }),
      ...completion(),
    ],
    policy: allowEverything(),
    limits: { mistakes: 0 },
  });
  await rig.task.run("Try");
  expect(resultsOf(rig.sent()[1] ?? [])).toEqual([
    expect.stringContaining("out of paper"),
    expect.stringContaining("liar gave a result without content"),
  ]);
});

function completion(): Tool[] {
  return [
    defineTool({
      name: "attempt_completion",
      description: "Completes.",
      input: z.object({ result: z.string() }),
      effect: "asks",
      ask: "completion_result",
      describe: ({ result }) => result,
      run: () => "",
    }),
  ];
}
