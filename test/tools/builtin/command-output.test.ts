import { describe, expect, test } from "vitest";
import type { CommandReport, Commands, CommandWait } from "../../../ports/commands.ts";
import { builtinTools } from "../../../tools/index.ts";
import { createRegistry } from "../../../tools/registry.ts";
import { runPorts } from "../../support/run-ports.ts";

const RUNNING: CommandReport = { command: "npm start", output: "up\n", cutChars: 0, isMatched: false };
const ENDED: CommandReport = { ...RUNNING, end: { output: "up\n", exitCode: 2, timedOut: false } };

/** Commands of which `c1` is known. */
function knowing(report: CommandReport) {
  const waits: CommandWait[] = [];
  const commands: Commands = {
    running: ["c1"],
    async read(id, wait) {
      waits.push(wait);
      return id === "c1" ? report : undefined;
    },
    stop: async (id) => (id === "c1" ? report : undefined),
  };
  return { commands, waits };
}

function prepare(tool: string, input: Readonly<Record<string, unknown>>) {
  const preparation = createRegistry(builtinTools())
    .find(tool)
    ?.prepare({ id: "c1", ...input });
  if (preparation === undefined) throw new Error(tool);
  return preparation;
}

async function textOf(tool: string, input: Readonly<Record<string, unknown>>, commands?: Commands) {
  const preparation = prepare(tool, input);
  if (!preparation.ok) return preparation.error;
  const { content } = await preparation.call.execute({ ...(await runPorts()), commands });
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

describe("command_output", () => {
  test.each<readonly [string, Partial<CommandReport>, string]>([
    ["that it runs", {}, "The command runs: npm start\nNew output:\nup\n"],
    ["that nothing is new", { output: "" }, "The command runs: npm start\nThere is no new output."],
    [
      "how much is missing",
      { cutChars: 7 },
      "The command runs: npm start\nNew output:\n[... 7 characters before this are not kept ...]\nup\n",
    ],
    ["the exit code", ENDED, "The command ended with exit code 2: npm start\nNew output:\nup\n"],
    [
      "the signal",
      { end: { output: "", signal: "SIGKILL", timedOut: false } },
      "The command was terminated by SIGKILL: npm start\nNew output:\nup\n",
    ],
    [
      "the timeout",
      { end: { output: "", timedOut: true } },
      "The command did not end within its timeout and was terminated: npm start\nNew output:\nup\n",
    ],
    [
      "a process that is left, and the file of the output",
      { end: { output: "", exitCode: 0, timedOut: false, leavesProcess: true, fullOutputPath: "/o" } },
      "The command ended with exit code 0, and a process that it started still runs: npm start\nNew output:\nup\n\n[The full output is in /o]",
    ],
    [
      "the id of the output",
      { end: { output: "", exitCode: 0, timedOut: false, fullOutputId: "output/1.log" } },
      'The command ended with exit code 0: npm start\nNew output:\nup\n\n[To read the full output, call read_artifact with the id "output/1.log"]',
    ],
  ])("says %s", async (_, report, text) => {
    expect(await textOf("command_output", {}, knowing({ ...RUNNING, ...report }).commands)).toBe(text);
  });

  test("waits as many seconds as the call says; by default 30 with a pattern, else none", async () => {
    const { commands, waits } = knowing(RUNNING);
    for (const input of [{}, { wait: 5 }, { pattern: "up" }, { pattern: "up", wait: 0 }])
      await textOf("command_output", input, commands);
    expect(waits.map(({ timeoutMs }) => timeoutMs)).toEqual([0, 5_000, 30_000, 0]);
    expect(await textOf("command_output", { wait: 5 }, commands)).toContain(
      "It did not end within 5 seconds.",
    );
  });

  test("finds a pattern in any line, and says whether it was found", async () => {
    const { commands, waits } = knowing(RUNNING);
    expect(await textOf("command_output", { pattern: "^b$" }, commands)).toContain("was not found");
    expect(waits[0]?.matches?.("a\nb\nc")).toBe(true);
    expect(waits[0]?.matches?.("ab\nbc")).toBe(false);
    expect(
      await textOf("command_output", { pattern: "b" }, knowing({ ...RUNNING, isMatched: true }).commands),
    ).toContain("The pattern was found.");
  });

  test("searches in linear time, whatever the pattern is", async () => {
    const { commands, waits } = knowing(RUNNING);
    await textOf("command_output", { pattern: "(x+x+)+y" }, commands);
    expect(waits[0]?.matches?.("x".repeat(100_000))).toBe(false);
  });

  test.each(["[", "(?=a)", "(a)\\1", "((a{1000}){1000}){1000}", "\u0000(", "\ud800["])(
    "rejects the pattern %j with the reason",
    async (pattern) => {
      await expect(textOf("command_output", { pattern }, knowing(RUNNING).commands)).rejects.toMatchObject({
        code: "PATTERN_INVALID",
      });
    },
  );

  test.each<Readonly<Record<string, unknown>>>([
    { id: "" },
    { id: "x".repeat(201) },
    { id: ["c1"] },
    { pattern: "" },
    { pattern: "a".repeat(1_001) },
    { wait: -1 },
    { wait: 601 },
    { wait: Number.NaN },
  ])("refuses the arguments %j", (input) => {
    expect(prepare("command_output", input).ok).toBe(false);
  });
});

describe.each(["command_output", "stop_command"])("%s of an id that is not known", (tool) => {
  test.each(["__proto__", "toString", "../c1", "c1\n\u001b[2J", "120/tu1"])(
    "such as %j never says that the command has ended",
    async (id) => {
      const failed = textOf(tool, { id }, knowing(RUNNING).commands);
      await expect(failed).rejects.toMatchObject({ code: "NOT_FOUND" });
      await expect(failed).rejects.toThrow(`received ${JSON.stringify(id)}. In the background run: "c1".`);
      await expect(failed).rejects.toThrow("it is not known whether it still runs");
    },
  );

  test("fails where commands are not tracked", async () => {
    await expect(textOf(tool, {})).rejects.toThrow("not tracked");
  });
});

test("stop_command gives the last output and the end, or says that it has not ended yet", async () => {
  expect(await textOf("stop_command", {}, knowing(ENDED).commands)).toBe(
    "The command ended with exit code 2: npm start\nNew output:\nup\n",
  );
  expect(await textOf("stop_command", {}, knowing(RUNNING).commands)).toContain("has not ended yet");
});
