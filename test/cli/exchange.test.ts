import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { expect, test } from "vitest";
import { z } from "zod";
import { installed } from "./installed.ts";

const box = installed();

const place = (...names: readonly string[]): string => path.join(box.folder, ...names);
const DATA = place("data");

const signalbox = (...args: readonly string[]) => box.does(...args);

const UI = [
  { ts: 5, type: "say", say: "text", text: "Fix it" },
  { ts: 6, type: "say", say: "api_req_started", text: '{"cost":0.5}' },
  { ts: 6, type: "say", say: "reasoning", text: "Hm \u001b[2J", partial: true },
  { ts: 9, type: "ask", ask: "tool", text: "{}", isAnswered: true },
];
const API = [
  { role: "user", content: "Fix it", ts: 5 },
  { role: "assistant", content: [{ type: "tool_use", id: "a", name: "read_file", input: {} }], ts: 8 },
  { role: "user", content: [{ type: "text", text: "And?" }], ts: 9 },
];

function rooFolder(name: string, ui: unknown, api: unknown): string {
  mkdirSync(place(name));
  writeFileSync(place(name, "ui_messages.json"), JSON.stringify(ui));
  writeFileSync(place(name, "api_conversation_history.json"), JSON.stringify(api));
  return place(name);
}

test("a folder is imported with a report of the repairs, exported again, and then needs none", async () => {
  const old = rooFolder("old", UI, API);
  const first = await signalbox("import", old, "--id", "mine", "-w", place("src"), "--data-dir", DATA);
  expect(first).toEqual({
    code: 0,
    stderr: "",
    stdout: [
      "Imported as mine: 4 messages, 3 conversation entries.",
      `Journal: ${path.join(DATA, "tasks/mine/journal.jsonl")}`,
      "Repairs: 5",
      "  ui_messages.json     2  L5      The ts 6 is not greater than the previous one; it became 7.",
      "  ui_messages.json     2  L3      The partial message say:reasoning was closed with its text.",
      "  ui_messages.json     3  L8      Asks without a recorded end that were closed as answered: 1.",
      "  api_conversation_history.json     0  format  Entries whose text became a text block: 1.",
      "  api_conversation_history.json     2  L6      The tool call a without a result got an interrupted one.",
      "",
    ].join("\n"),
  });
  expect(readFileSync(path.join(DATA, "tasks/mine/journal.jsonl"), "utf8")).toContain(
    `"workspace":${JSON.stringify(place("src"))}`,
  );

  const out = await signalbox("export", "min", place("new"), "--data-dir", DATA);
  expect(JSON.parse(readFileSync(place("new", "history_item.json"), "utf8"))).toMatchObject({
    id: "mine",
    workspace: place("src"),
    mode: "code",
  });
  expect(out).toEqual({
    code: 0,
    stderr: "",
    stdout: `Exported mine to ${place("new")}: 5 messages, 3 conversation entries.\n`,
  });

  const again = await signalbox("import", place("new"), "--data-dir", DATA, "--format", "json");
  const said = z.looseObject({ taskId: z.uuid(), rows: z.number(), mended: z.array(z.unknown()) });
  expect(said.parse(JSON.parse(again.stdout))).toMatchObject({
    type: "imported",
    rows: 5,
    entries: 3,
    mended: [],
  });
});

test("neither a task nor a file is overwritten without --force", async () => {
  const old = rooFolder("once", UI, API);
  const here = ["--data-dir", DATA];
  expect((await signalbox("import", old, "--id", "once", ...here)).code).toBe(0);
  const twice = await signalbox("import", old, "--id", "once", ...here);
  expect(twice).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("found records of a task"),
  });
  const onto = await signalbox("export", "once", old, ...here);
  expect(onto).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("expected no file of that name"),
  });
  expect(JSON.parse(readFileSync(path.join(old, "ui_messages.json"), "utf8"))).toEqual(UI);
  expect((await signalbox("export", "once", old, "--force", ...here)).code).toBe(0);
  expect(JSON.parse(readFileSync(path.join(old, "ui_messages.json"), "utf8"))[2].partial).toBe(false);
});

test.each([
  [
    "an empty folder",
    ["import", "."],
    "expected ui_messages.json or api_conversation_history.json, found neither",
  ],
  [
    "an id outside of the data directory",
    ["import", ".", "--id", "../x"],
    "Expected a task id of 1 to 128 letters",
  ],
  ["an unknown task", ["export", "none", "."], "There is no task none in "],
  ["an unknown format", ["import", ".", "--format", "xml"], "Allowed choices are text, json"],
])("%s is refused with code 1 and what was expected", async (_, args, words) => {
  const { code, stdout, stderr } = await signalbox(...args, "--data-dir", DATA);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^\[CLI\] Error: /);
  expect(stderr).toContain(words);
});

test("a task is exported as a log of Inspect, as JSON and as a zip file of the same content", async () => {
  const old = rooFolder("inspected", UI, API);
  const here = ["--data-dir", DATA];
  await signalbox("import", old, "--id", "inspected", ...here);
  const json = place("log.json");
  expect(await signalbox("export", "inspected", json, "--as", "inspect", ...here)).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringMatching(new RegExp(`^Exported inspected to ${json}: \\d+ events\\.\n$`)),
  });
  const { samples, ...header } = JSON.parse(readFileSync(json, "utf8"));
  expect([header.version, header.status, samples.length]).toEqual([2, "started", 1]);

  const zip = place("log.eval");
  expect((await signalbox("export", "inspected", zip, "--as", "inspect", ...here)).code).toBe(0);
  const files = Object.entries(unzipSync(readFileSync(zip))).map(
    ([name, bytes]) => [name, JSON.parse(strFromU8(bytes))] as const,
  );
  expect(Object.fromEntries(files)).toMatchObject({
    "header.json": header,
    "samples/inspected_epoch_1.json": samples[0],
    "summaries.json": [{ id: "inspected", epoch: 1, message_count: samples[0].messages.length }],
    "_journal/start.json": { version: 2, eval: header.eval, plan: header.plan },
  });
});

test("a log of Inspect overwrites no file without --force, and has a known ending", async () => {
  const file = place("kept.json");
  writeFileSync(file, "mine");
  await signalbox("import", rooFolder("kept", UI, API), "--id", "kept", "--data-dir", DATA);
  const exportTo = (...to: readonly string[]) =>
    signalbox("export", "kept", ...to, "--as", "inspect", "--data-dir", DATA);
  expect(await exportTo(file)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("expected no file of that name"),
  });
  expect(readFileSync(file, "utf8")).toBe("mine");
  expect((await exportTo(file, "--force")).code).toBe(0);
  expect(await exportTo(place("log"))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("expected a file that ends with .eval or .json"),
  });
});

test("the export of a log of Inspect reports the end of a journal and the subtask that it leaves out", async () => {
  const journal = readFileSync(new URL("../fixtures/journals/2026-11/task.jsonl", import.meta.url), "utf8");
  mkdirSync(place("data", "tasks", "task"), { recursive: true });
  writeFileSync(place("data", "tasks", "task", "journal.jsonl"), `${journal}{"seq":`);
  const line = journal.split("\n").length;
  const exportTo = (file: string, ...flags: readonly string[]) =>
    signalbox("export", "task", file, "--as", "inspect", "--data-dir", DATA, ...flags);
  const { stdout } = await exportTo(place("torn.json"));
  expect(stdout.split("\n").slice(1)).toEqual([
    `The end of the journal of task, from line ${line}, was left out: its newline is missing.`,
    "The subtask task.1 was left out: its journal has no records.",
    "",
  ]);
  expect(JSON.parse((await exportTo(place("torn.eval"), "--format", "json")).stdout)).toMatchObject({
    leftOut: [{ taskId: "task", tail: { kind: "torn", line } }, { taskId: "task.1" }],
  });
});
