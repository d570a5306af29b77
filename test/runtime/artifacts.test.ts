import { describe, expect, test } from "vitest";
import { z } from "zod";
import { anthropic } from "../../adapters/index.ts";
import { builtinTools, defineTool } from "../../tools/index.ts";
import { DONE, openRig, type Rig, resultsOf } from "../support/host.ts";

const FILES = { "notes.md": "A line of notes, and then one more.\n".repeat(300) };
const READ = "{ tool: read_file, input: { path: notes.md }, id: toolu_notes }";
const LIST = "{ tool: list_files, input: { path: '.' } }";
const AGAIN = "{ tool: read_artifact, input: { id: toolu_notes } }";
const SUMMARY = `rules:
  - when: { user: "Write a summary that replaces" }
    turns: [{ text: "The notes were read." }]
  - when: { user: "Once more" }
    turns: [${AGAIN}]
turns:
`;
const scriptOf = (...turns: readonly string[]): string =>
  `${SUMMARY}${turns.map((turn) => `  - ${turn}\n`).join("")}`;

const LIMITS = { artifactChars: 1_000, repetitions: 0 };
const sentText = (rig: Rig, request: number): string => JSON.stringify(rig.sent()[request]);
const toolsOf = ({ mock }: Rig): readonly string[] =>
  z
    .object({ tools: z.array(z.object({ name: z.string() })) })
    .parse(mock?.requests[0]?.body)
    .tools.map(({ name }) => name);

describe("a task with the limit artifactChars", () => {
  test("sends an old result as a stub, and the model reads its exact text again, without an ask", async () => {
    await using rig = await openRig({
      script: scriptOf(READ, LIST, LIST, LIST, AGAIN, DONE),
      files: FILES,
      limits: LIMITS,
      completion: "tool",
    });
    expect(await rig.task.run("Read the notes")).toMatchObject({ result: "Done." });
    const [whole = ""] = resultsOf(rig.sent()[1] ?? []);
    expect(whole.length).toBeGreaterThan(10_000);
    const isWhole = [1, 2, 3, 4].map((request) => sentText(rig, request).includes("300 | A line"));
    expect(isWhole).toEqual([true, true, true, false]);
    expect(sentText(rig, 4)).toContain(
      `The old result of read_file is left out here: ${whole.length} characters.`,
    );
    expect(resultsOf(rig.sent()[5] ?? [])).toEqual([whole]);
    expect(toolsOf(rig)).toContain("read_artifact");
    expect(JSON.stringify(rig.task.snapshot.context.conversation)).toContain("300 | A line");
  });

  test("can read it after it was opened again", async () => {
    await using rig = await openRig({
      script: scriptOf(READ, "{ text: Read. }", AGAIN, "{ text: Again. }"),
      files: FILES,
      limits: LIMITS,
    });
    await rig.task.run("Read the notes");
    await rig.task.close();
    const model = anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: rig.mock?.url });
    const task = await rig.host.open(rig.task.id, { model, limits: LIMITS });
    await task.run("Read them again");
    expect(resultsOf(rig.sent()[3] ?? [])).toEqual(resultsOf(rig.sent()[1] ?? []));
  });

  test("gets an error for a result that was condensed away, which says so", async () => {
    await using rig = await openRig({
      script: scriptOf(READ, "{ text: Read. }", "{ text: Gone. }"),
      files: FILES,
      limits: LIMITS,
    });
    await rig.task.run("Read the notes");
    rig.task.compact();
    await rig.task.run("Once more");
    expect(resultsOf(rig.sent()[4] ?? [])).toEqual([
      expect.stringMatching(/There is no artifact 'toolu_notes'.*If the conversation was condensed since/),
    ]);
  });

  test("needs a tool that reads the results again", async () => {
    await using rig = await openRig({ script: `[${DONE}]` });
    const own = defineTool({
      name: "own",
      description: "x",
      inputSchema: z.object({}),
      effect: "none",
      execute: () => "",
    });
    const model = anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: rig.mock?.url });
    const create = (tools: readonly (typeof own)[], artifactChars: number) =>
      rig.host.create({ model, workspace: rig.dir, tools, limits: { artifactChars } });
    await expect(create([own], 1)).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringContaining("Add read_artifact of builtinTools()"),
    });
    await create([own], 0);
    await create([...builtinTools(), own], 1);
  });
});

test("a task without the limit sends all results whole, and is not offered the tool", async () => {
  await using rig = await openRig({
    script: scriptOf(READ, LIST, LIST, LIST, AGAIN, "{ text: Done. }"),
    files: FILES,
    limits: { repetitions: 0 },
  });
  await rig.task.run("Read the notes");
  expect(sentText(rig, 5)).toContain("300 | A line");
  expect(toolsOf(rig)).not.toContain("read_artifact");
  expect(resultsOf(rig.sent()[5] ?? [])).toEqual([expect.stringContaining("There is no artifact")]);
});
