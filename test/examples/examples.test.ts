import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type Built, build } from "../cli/built.ts";
import { Process } from "../cli/process.ts";

let built: Built;
beforeAll(async () => {
  built = await build();
});

const example = (name: string, ...args: readonly string[]): Process =>
  new Process(path.join(built.dir, "examples", name), args, {
    cwd: built.dir,
    // What the demo leaves behind goes with the build.
    env: { TMPDIR: built.dir },
  });

describe.concurrent("an example runs without a key and prints the expected output", () => {
  test("a custom tool, with a policy that allows it", async () => {
    const process = example("own-tool.js");
    expect(await process.code).toBe(0);
    expect(process.stdout).toMatch(
      /^no_task\nrunning\nstreaming\n(streaming\n|running\n)*idle\nThe text has 7 words\.\n$/,
    );
    expect(process.stderr).toBe("");
  });

  test("the task machine invoked by another machine", async () => {
    const process = example("invoke-machine.js");
    expect(await process.code).toBe(0);
    expect(process.stdout).toBe("It is a library.\n");
    expect(process.stderr).toBe("");
  });

  test("an ask actor that answers in code", async () => {
    const process = example("replace-actor.js");
    expect(await process.code).toBe(0);
    expect(process.stdout).toBe(
      "command: no\nfollowup: text\ncompletion_result: yes\nThe short one it is.\n",
    );
    expect(process.stderr).toBe("");
  });

  test("a task with a subtask, whose ask is answered at the root", async () => {
    const process = example("subtask.js");
    expect(await process.code).toBe(0);
    expect(process.stdout).toBe(
      "the task\nits subtask\nmoons > moons.1 question\nmoons completion\nI had them counted. true\n",
    );
    expect(process.stderr).toBe("");
  });

  test("an orchestrator with three workers at once, which ask one by one", async () => {
    const process = example("workers.js");
    expect(await process.code).toBe(0);
    const lines = process.stdout.split("\n");
    expect(lines.filter((line) => line.endsWith("asks: tool")).toSorted()).toEqual([
      "One asks: tool",
      "Three asks: tool",
      "Two asks: tool",
    ]);
    expect(process.stdout).toContain("All three are written. [ 'one.md', 'three.md', 'two.md' ]");
    expect(process.stderr).toBe("");
  });

  test("a panel of three models, whose typed answers are compared", async () => {
    const process = example("panel.js");
    expect(await process.code).toBe(0);
    expect(process.stdout.match(/"days":\s*\d+/g)).toHaveLength(3);
    expect(process.stdout).toContain("Two of three say 687 days.");
    expect(process.stderr).toBe("");
  });

  test("a pipeline of tasks, each with the result of the one before", async () => {
    const process = example("pipeline.js");
    expect(await process.code).toBe(0);
    expect(process.stdout).toBe(
      "Find the moons of Mars. -> Phobos and Deimos\nDescribe Phobos and Deimos. -> Both are small and dark.\n" +
        "Shorten this text: Both are small and dark. -> Small and dark.\n",
    );
    expect(process.stderr).toBe("");
  });

  test("the demo fixes the failing test with the real command, and prints where its journal is", async () => {
    const process = example("demo.js", built.bin);
    expect(await process.end()).toBe(0);
    const { stdout } = process;
    for (const words of [
      "-- running -> streaming",
      "(exit code 1)",
      "pieces >= 10",
      "(exit code 0)",
      "Done. ",
    ])
      expect(stdout).toContain(words);
    const journal = /Journal: (\S+)/.exec(process.stderr)?.[1] ?? "";
    expect(readFileSync(journal, "utf8")).toContain(`"task.start"`);
    const project = /changed project: (\S+)/.exec(stdout)?.[1] ?? "";
    expect(readFileSync(path.join(project, "src/basket.js"), "utf8")).toContain("pieces >= 10");
  });
});

test("the task of the governed folder is refused before it selects an intent, and outside of what that owns", async () => {
  const governed = path.join(built.dir, "examples/governed");
  const args = [
    "run",
    "-p",
    "--yes",
    "--data-dir",
    path.join(built.dir, "data"),
    "--provider",
    "mock",
    "--script",
    "script.yaml",
    "Raise the limit",
  ];
  const process = new Process(built.bin, args, { cwd: governed, env: { TMPDIR: built.dir } });
  expect(await process.end()).toBe(0);
  for (const words of [
    "select an intent first",
    "The active intents are: INT-101, INT-102.",
    "'src/billing.js' is outside the owned scope: the intent INT-101 owns src/limits.js, test/** alone.",
  ])
    expect(process.stdout + process.stderr).toContain(words);
  const file = (name: string): string => readFileSync(path.join(governed, "src", name), "utf8");
  expect(file("limits.js")).toContain("REQUESTS_PER_MINUTE = 200");
  expect(file("billing.js")).toBe(readFileSync("examples/governed/src/billing.js", "utf8"));
});

test("an example has fewer than 40 lines, and a guide links to it", () => {
  const guides = readdirSync("docs/guide").map((name) => readFileSync(path.join("docs/guide", name), "utf8"));
  const names = readdirSync("examples").filter((name) => name.endsWith(".ts") && name !== "demo.ts");
  expect(names).toHaveLength(8);
  for (const name of names) {
    const text = readFileSync(path.join("examples", name), "utf8");
    expect(text.trimEnd().split("\n").length).toBeLessThan(40);
    expect(guides.some((guide) => guide.includes(`(../../examples/${name})`))).toBe(true);
  }
});
