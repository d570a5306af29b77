import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { monitorCommits } from "../../../../verify/monitor/commits.ts";
import { readTranscripts } from "../../../../visualize/trace/transcripts/read-transcripts.ts";
import { recordsOfTranscript } from "../../../../visualize/trace/transcripts/records.ts";
import { TRANSCRIPTS } from "./fixtures.ts";
import { problemsOf } from "./shown-problems.ts";
import { longestWait } from "./waits.ts";

const file = (name: string, folder = "tasks/0199") => ({
  name: `${folder}/${name}`,
  content: readFileSync(path.join(TRANSCRIPTS, "roo-task", name), "utf8"),
});
const FILES = ["ui_messages.json", "api_conversation_history.json", "history_item.json"];
const { transcripts, problems } = readTranscripts(FILES.map((name) => file(name)));
const [task] = transcripts;

describe("a task folder of Roo Code", () => {
  test("is one session with the id and the workspace of its summary, and no problem", () => {
    expect(problems).toEqual([]);
    expect(transcripts).toHaveLength(1);
    expect(task).toMatchObject({
      format: { name: "Roo Code" },
      taskId: "0199aaaa-0000-7000-8000-00000000c0de",
      workspace: "/home/ann/shop",
    });
  });

  test("has its messages unchanged, its denied call, and the longest wait", () => {
    const records = task === undefined ? [] : recordsOfTranscript(task);
    expect(problemsOf(task)).toEqual([expect.stringMatching(/^execute_command: .*/)]);
    expect(longestWait(records)).toEqual({ text: "make deploy", ms: 300_000 });
    const commits = records.filter((record) => record.kind === "commit");
    expect(monitorCommits(commits)).toEqual([]);
    expect(commits.at(-1)?.after).toBe("idle");
    const totals = commits.flatMap(({ facts }) => (facts?.total === undefined ? [] : [facts.total.cost]));
    expect(totals.at(-1)).toBeCloseTo(0.011);
  });

  test("is of Cline in the folder of its extension, also without a summary", () => {
    const read = readTranscripts([file("ui_messages.json", "saoudrizwan.claude-dev/tasks/1793800000000")]);
    expect(read.transcripts[0]).toMatchObject({ format: { name: "Cline" }, taskId: "1793800000000" });
  });

  test("is read up to the damage of a file", () => {
    const whole = file("ui_messages.json");
    const read = readTranscripts([{ ...whole, content: whole.content.slice(0, 700) }]);
    expect(read.problems[0]?.what).toContain("what comes before the damage was read");
    expect(read.transcripts[0]?.entries.length).toBeGreaterThan(2);
  });
});
