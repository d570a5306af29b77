import { describe, expect, test } from "vitest";
import { parseTraceLine, TraceError, traceLines, traceOfJournal } from "../../../trace/index.ts";
import { fixtureJournals, liveTask } from "../../support/recorded-traces.ts";

const { records } = await liveTask();
const inspected = await liveTask({ inspect: true });

describe("the lines of a trace", () => {
  test("give the same events again: of every fixture, and of an inspected task", async () => {
    const journals = await fixtureJournals();
    for (const events of [inspected.live, ...journals.map(([, journal]) => traceOfJournal(journal))]) {
      const again = [...traceLines(events)].map((line, index) => parseTraceLine(line, index + 1));
      expect(JSON.parse(JSON.stringify(again))).toEqual(JSON.parse(JSON.stringify(events)));
    }
  });

  test.each([
    ["no JSON", "{", "Expected a trace event on line 7"],
    ["a record that is none", '{"seq":0,"taskId":"t","from":"task","record":{"kind":"x"}}', "record"],
    ["a place that is no number", '{"seq":"a","taskId":"t","from":"task","record":{}}', "seq"],
  ])("that hold %s are refused, with the line's number and what is wrong", (_what, text, words) => {
    expect(() => parseTraceLine(text, 7)).toThrow(TraceError);
    expect(() => parseTraceLine(text, 7)).toThrow("line 7");
    expect(() => parseTraceLine(text, 7)).toThrow(words);
  });

  test("records without a header make no trace", () => {
    expect(() => traceOfJournal(records.slice(1))).toThrow(
      "Expected a header as a journal's first record, got a commit (record 1)",
    );
  });
});
