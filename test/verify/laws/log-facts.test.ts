import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  applyLogEvent,
  type ClineMessage,
  detectAgentState,
  emptyLog,
  isRequestMessage,
  isRequestOpen,
} from "../../../machines/message/index.ts";
import { EMPTY_LOG_FACTS, logFactsAfter } from "../../../verify/laws/log-facts.ts";
import { foreignEvent } from "../../machines/message/arbitraries.ts";
import { test } from "../../support/prop.ts";

/** Commits of some events each: a law sees the log only between them. */
const commits = fc.array(fc.array(foreignEvent(), { minLength: 1, maxLength: 4 }), { maxLength: 15 });

describe("the facts of a log", () => {
  test.prop([commits], { numRuns: 200 })(
    "are, from those of the log before, what the rows say by themselves",
    (groups) => {
      let log = emptyLog;
      let facts = EMPTY_LOG_FACTS;
      for (const group of groups) {
        const next = group.reduce(applyLogEvent, log);
        facts = logFactsAfter(facts, log, next);
        const rows = next.toArray();
        const where = (is: (row: ClineMessage) => boolean) =>
          rows.flatMap((row, at) => (is(row) ? [at] : []));
        const either = Array.from({ length: Math.max(log.length, next.length) }, (_, at) => at);
        expect(facts).toEqual({
          derived: detectAgentState(rows),
          changed: either.filter((at) => log.at(at) !== next.at(at)),
          partial: where(({ partial }) => partial === true),
          openAsks: where(({ type, closing }) => type === "ask" && closing === undefined),
          openRequests: where(isRequestOpen),
          newestRequest: rows.findLastIndex(isRequestMessage),
        });
        log = next;
      }
    },
  );

  it("of a log that stays as it is are the same, without a change", () => {
    const log = applyLogEvent(emptyLog, {
      type: "message.appended",
      message: { ts: 1, type: "say", say: "text" },
    });
    const facts = logFactsAfter(EMPTY_LOG_FACTS, emptyLog, log);
    expect(facts.changed).toEqual([0]);
    const later = logFactsAfter(facts, log, log);
    expect(later).toEqual({ ...facts, changed: [] });
    expect(logFactsAfter(later, log, log)).toBe(later);
  });
});
