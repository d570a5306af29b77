import { readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { PromptHistory } from "../../../../cli/terminal/input/prompt-history.ts";
import { temporaryFolder } from "../../process.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

test("prompts are found again in the next run, newest first, by their owner only", () => {
  const data = path.join(folder.path, "a");
  const first = new PromptHistory(data);
  for (const prompt of ["one", "two", "two", "y", "3", " "]) first.add(prompt);
  expect(new PromptHistory(data).newestFirst()).toEqual(["two", "one"]);
  expect(statSync(path.join(data, "prompt-history")).mode & 0o777).toBe(0o600);
});

test("keys, and text that looks like one, are not kept", () => {
  const data = path.join(folder.path, "b");
  new PromptHistory(data, ["mine"]).add("use sk-ant-0123456789 and mine");
  expect(readFileSync(path.join(data, "prompt-history"), "utf8")).toBe('"use [masked] and [masked]"\n');
});

test("without a folder nothing is kept, and a file that is half written or can't be used is not a failure", () => {
  new PromptHistory(undefined).add("one");
  const data = path.join(folder.path, "c");
  new PromptHistory(data).add("one");
  writeFileSync(path.join(data, "prompt-history"), '"one"\n"tw', { flag: "w" });
  expect(new PromptHistory(data).newestFirst()).toEqual(["one"]);
  const used = new PromptHistory(path.join(data, "prompt-history"));
  used.add("two");
  expect(used.newestFirst()).toEqual(["two"]);
});

test("the newest 500 are kept, and the file stays bounded", () => {
  const data = path.join(folder.path, "d");
  const first = new PromptHistory(data);
  for (let index = 0; index < 1_200; index += 1) first.add(`prompt ${index}`);
  const again = new PromptHistory(data).newestFirst();
  expect(again).toHaveLength(500);
  expect(again[0]).toBe("prompt 1199");
  expect(readFileSync(path.join(data, "prompt-history"), "utf8").trimEnd().split("\n")).toHaveLength(500);
});
