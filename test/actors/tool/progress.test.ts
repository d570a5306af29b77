import { describe, expect, test } from "vitest";
import { joinProgress, type ProgressOptions } from "../../../actors/tool/progress.ts";
import type { ProgressStatus } from "../../../machines/message/message.ts";
import { stillClock } from "../../support/still-clock.ts";

function joined(limits: Partial<ProgressOptions> = {}) {
  const clock = stillClock();
  const sent: ProgressStatus[] = [];
  const progress = joinProgress({ ...limits, clock, send: (status) => sent.push(status) });
  return { ...progress, clock, sent };
}

describe("the statuses of a call are joined (L14, L17)", () => {
  test("one is sent after each frame in which one came: the newest", () => {
    const { report, clock, sent } = joined();
    report({ text: "1" });
    clock.advance(249);
    report({ text: "2" });
    expect(sent).toEqual([]);
    clock.advance(1);
    expect(sent).toEqual([{ text: "2" }]);
    clock.advance(1_000);
    expect(clock.pending).toBe(0);
    report({ text: "3" });
    clock.advance(250);
    expect(sent).toEqual([{ text: "2" }, { text: "3" }]);
  });

  test("one that equals the last is dropped", () => {
    const { report, flush, sent } = joined();
    for (const status of [{}, { text: "a" }, { text: "a" }, { icon: "i", text: "a" }, { text: "a" }, {}]) {
      report(status);
      flush();
    }
    expect(sent).toEqual([{ text: "a" }, { icon: "i", text: "a" }, { text: "a" }, {}]);
  });

  test("one that the same frame took back is not sent", () => {
    const { report, flush, clock, sent } = joined();
    report({ text: "a" });
    report({});
    clock.advance(250);
    flush();
    expect(sent).toEqual([]);
  });

  test("after every 100 of them the frame doubles", () => {
    const { report, clock, sent } = joined();
    const sentAt: number[] = [];
    for (let at = 0; at <= 100_000; at += 50) {
      report({ text: `${at}` });
      clock.advance(50);
      if (sent.length > sentAt.length) sentAt.push(clock.now());
    }
    expect(sentAt[99]).toBe(100 * 250);
    expect(sentAt[199]).toBe(100 * 250 + 100 * 500);
    expect(sentAt[200]).toBe(100 * 250 + 100 * 500 + 1_000);
  });

  test("nothing is sent after the end, and no timer is left", () => {
    const { report, end, flush, clock, sent } = joined();
    report({ text: "a" });
    end();
    report({ text: "b" });
    expect(clock.pending).toBe(0);
    clock.advance(1_000);
    expect(sent).toEqual([]);
    flush();
    expect(sent).toEqual([]);
  });
});

describe("a status", () => {
  const sentFor = (...statuses: readonly ProgressStatus[]) => {
    const { report, flush, sent } = joined();
    for (const status of statuses) report(status);
    flush();
    return sent;
  };

  test("is dropped whole if its icon or its text is longer than its limit (L14)", () => {
    const [icon, text] = ["i".repeat(64), "t".repeat(1_000)];
    expect(sentFor({ icon, text })).toEqual([{ icon, text }]);
    expect(sentFor({ icon: `${icon}i`, text })).toEqual([]);
    expect(sentFor({ icon, text: `${text}t` })).toEqual([]);
    expect(sentFor({ text: "kept" }, { text: `${text}t` })).toEqual([{ text: "kept" }]);
  });

  test("has no half of a character", () => {
    expect(sentFor({ icon: "\ud83d", text: "a\ude00" })).toEqual([{ icon: "\ufffd", text: "a\ufffd" }]);
  });

  test("has no other field, and is dropped if a field is not a text", () => {
    expect(sentFor(JSON.parse('{"text":"a","percent":5}'))).toEqual([{ text: "a" }]);
    expect(sentFor(JSON.parse('{"text":5}'))).toEqual([]);
    expect(sentFor(JSON.parse('{"icon":null,"text":"a"}'))).toEqual([]);
  });
});
