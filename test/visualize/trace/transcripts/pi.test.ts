import { describe, expect, test } from "vitest";
import { readTranscripts } from "../../../../visualize/trace/transcripts/read-transcripts.ts";
import { recordsOfTranscript } from "../../../../visualize/trace/transcripts/records.ts";
import { fixture } from "./fixtures.ts";
import { problemsOf } from "./shown-problems.ts";
import { longestWait } from "./waits.ts";

const { transcripts, problems } = readTranscripts([fixture("pi.jsonl")]);
const [session] = transcripts;

describe("a session of pi", () => {
  test("has its name, its folder and the version of its format, and no problem", () => {
    expect(problems).toEqual([]);
    expect(session).toMatchObject({
      format: { name: "pi", version: "format 3" },
      title: "The build",
      workspace: "/home/ann/shop",
      taskId: "0199bbbb-0000-7000-8000-00000000c0de",
    });
  });

  test("has its failed tool and its failed request, its costs, and the wait for the next prompt", () => {
    expect(problemsOf(session)).toEqual(["bash make: make: *** [all] Error 2", "529 overloaded"]);
    const records = session === undefined ? [] : recordsOfTranscript(session);
    expect(longestWait(records)?.ms).toBe(600_000);
    const totals = records.flatMap((record) =>
      record.kind === "commit" && record.facts?.total !== undefined ? [record.facts.total.cost] : [],
    );
    expect(totals).toEqual([0.002, expect.closeTo(0.003), expect.closeTo(0.003)]);
  });

  test("shows an entry of an extension as it is", () => {
    expect(session?.entries.flatMap((entry) => (entry.kind === "raw" ? [entry.type] : []))).toEqual([
      "custom",
    ]);
  });
});
