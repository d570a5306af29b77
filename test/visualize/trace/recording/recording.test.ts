import { describe, expect, test } from "vitest";
import { parseTraceLine, TraceError, traceLines, traceOfJournal } from "../../../../visualize/trace/index.ts";
import { fixtureJournals, liveTask } from "../../../support/recorded-traces.ts";

const { records } = await liveTask();
const inspected = await liveTask({ inspect: true });

describe("the lines of a trace", () => {
  test("parse to the same events: of every fixture, and of an inspected task", async () => {
    const journals = await fixtureJournals();
    for (const events of [inspected.live, ...journals.map(([, journal]) => traceOfJournal(journal))]) {
      const again = [...traceLines(events)].map((line, index) => parseTraceLine(line, index + 1));
      expect(JSON.parse(JSON.stringify(again))).toEqual(JSON.parse(JSON.stringify(events)));
    }
  });

  test.each([
    ["no JSON", "{", "Expected a trace event on line 7"],
    ["an invalid record", '{"seq":0,"taskId":"t","from":"task","record":{"kind":"x"}}', "record"],
    ["a number as text", '{"seq":"a","taskId":"t","from":"task","record":{}}', "seq"],
  ])("with %s are rejected, with the line number and the problem", (_what, text, problem) => {
    expect(() => parseTraceLine(text, 7)).toThrow(TraceError);
    expect(() => parseTraceLine(text, 7)).toThrow("line 7");
    expect(() => parseTraceLine(text, 7)).toThrow(problem);
  });

  test("records without a header are rejected", () => {
    expect(() => traceOfJournal(records.slice(1))).toThrow(
      "Expected a header as a journal's first record, got a commit (record 1)",
    );
  });
});
