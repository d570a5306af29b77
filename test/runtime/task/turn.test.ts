import { describe, expect, test } from "vitest";
import { z } from "zod";
import { NO_USAGE } from "../../../machines/task/request.ts";
import { allowEverything, defineTool, type Tool } from "../../../tools/index.ts";
import { DONE, openRig, resultsOf } from "../../support/host.ts";
import { call, complete, deferred, scripted } from "../../support/model.ts";

/** A tool that records its start and end and runs the test's function in between. */
function noted(
  notes: string[],
  effect: "reads" | "writes",
  during: (id: string) => Promise<void> | void = () => {},
): Tool {
  return defineTool({
    name: effect === "reads" ? "look" : "change",
    description: "A test's tool.",
    inputSchema: z.object({ id: z.string() }),
    effect,
    execute: async ({ id }) => {
      notes.push(`${id} begins`);
      await during(id);
      notes.push(`${id} ends`);
      return `${id} done`;
    },
  });
}

/** Resolves after `count` calls. */
function meeting(count: number): () => Promise<void> {
  const { promise, resolve } = deferred();
  let here = 0;
  return () => {
    here += 1;
    if (here === count) resolve();
    return promise;
  };
}

test("two allowed reads of one response run concurrently", async () => {
  const notes: string[] = [];
  // Each waits for the other: run in sequence, neither would end.
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

test("an allowed read starts when its block ends, while the response still streams", async () => {
  const started = deferred<string>();
  const look = noted([], "reads", () => started.resolve(rigState()));
  let rigState = () => "";
  const model = scripted([
    async function* () {
      yield* call("look", { id: "a" });
      yield { type: "text.delta", text: "And I go on talking" };
      await started.promise;
      yield { type: "finished", stopReason: "tool_use", usage: NO_USAGE };
    },
    () => complete(),
  ]);
  await using rig = await openRig({ model, tools: [look, ...completion()], policy: allowEverything() });
  rigState = () => rig.task.state.state;
  await rig.task.run("Look");
  expect(await started.promise).toBe("streaming");
});

describe("the order of a response's tool calls", () => {
  test.each([
    ["a read after a write does not start before the write has ended", "change", "look"],
    ["a write after a running read does not start before the read has ended", "look", "change"],
    ["a write after a write does not start before the first has ended", "change", "change"],
  ])("%s", async (_, first, second) => {
    const notes: string[] = [];
    const reviewed = deferred();
    const slow = async (id: string): Promise<void> => {
      if (id !== "first") return;
      // The next call was reviewed and allowed, and another commit was written: only the order delays it.
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

test("L7: a call whose arguments were cut at the output limit never runs, even if they parse (field failure 28)", async () => {
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

test("a tool that throws or returns an invalid value gives a failed result, and the task continues", async () => {
  await using rig = await openRig({
    script: `[[{ tool: thrower, input: {} }, { tool: liar, input: {} }], ${DONE}]`,
    tools: [
      defineTool({
        name: "thrower",
        description: "Throws.",
        inputSchema: z.object({}),
        effect: "writes",
        execute: () => {
          throw new Error("out of paper");
        },
      }),
      defineTool({
        name: "liar",
        description: "Gives no result.",
        inputSchema: z.object({}),
        effect: "writes",
        execute: () => JSON.parse("null"),
      }),
      ...completion(),
    ],
    policy: allowEverything(),
    limits: { mistakes: 0 },
  });
  await rig.task.run("Try");
  expect(resultsOf(rig.sent()[1] ?? [])).toEqual([
    expect.stringContaining("out of paper"),
    expect.stringContaining("liar returned a result without content"),
  ]);
});

function completion(): Tool[] {
  return [
    defineTool({
      name: "attempt_completion",
      description: "Completes.",
      inputSchema: z.object({ result: z.string() }),
      effect: "asks",
      ask: "completion_result",
      describe: ({ result }) => result,
      execute: () => "",
    }),
  ];
}
