import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compareTraces, formatTraceChanges, orphansIn } from "../support/trace-folder.ts";
import { counterexample, TRACES } from "../support/traces.ts";

it("a counterexample is a shortest path to a violation, formatted event by event", async () => {
  const { violation, text } = counterexample();
  expect(violation.path.map(({ type }) => type)).toEqual(["task.start", "task.opened", "context.failed"]);
  await expect(text).toMatchFileSnapshot("../traces/counterexample.txt");
});

describe("the folder of traces", () => {
  const folder = fileURLToPath(new URL("../traces", import.meta.url));

  it("has no orphaned file", async () => {
    expect(await orphansIn(folder, TRACES)).toEqual([]);
  });

  it("has one file per trace", () => {
    const files = TRACES.map(({ file }) => file);
    expect(files).toEqual([...new Set(files)]);
  });
});

describe("comparing traces", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "traces-"));
    writeFileSync(path.join(folder, "same.txt"), "as it was\n");
    writeFileSync(path.join(folder, "other.txt"), "as it was\n");
    writeFileSync(path.join(folder, "left.txt"), "orphaned\n");
    writeFileSync(path.join(folder, "README.md"), "no trace\n");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const trace = (file: string, text: string) => ({ file, text: () => text });
  const traces = [
    trace("same.txt", "as it was\n"),
    trace("other.txt", "as it is\n"),
    trace("young.txt", "it is new\n"),
  ];
  const changes = { changed: ["other.txt"], added: ["young.txt"], orphans: ["left.txt"] };

  it("lists changed, new and orphaned files, and writes nothing", async () => {
    expect(await compareTraces(folder, traces, { write: false })).toEqual(changes);
    expect(readdirSync(folder)).toEqual(["README.md", "left.txt", "other.txt", "same.txt"]);
    expect(readFileSync(path.join(folder, "other.txt"), "utf8")).toBe("as it was\n");
  });

  it("lists the same with `write` and updates the folder; a second run finds no changes", async () => {
    expect(await compareTraces(folder, traces, { write: true })).toEqual(changes);
    expect(readdirSync(folder)).toEqual(["README.md", "other.txt", "same.txt", "young.txt"]);
    expect(readFileSync(path.join(folder, "other.txt"), "utf8")).toBe("as it is\n");
    const none = { changed: [], added: [], orphans: [] };
    expect(await compareTraces(folder, traces, { write: true })).toEqual(none);
  });

  it("formats one line per change, or one sentence if nothing differs", () => {
    expect(formatTraceChanges(changes)).toBe(
      "changed         other.txt\nnew             young.txt\norphaned        left.txt\n",
    );
    expect(formatTraceChanges({ changed: [], added: [], orphans: [] })).toBe("The traces are up to date.\n");
  });
});
