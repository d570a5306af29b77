import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { detectAgentState } from "../../../machines/message/detect.ts";
import { applyLogEvent, emptyLog } from "../../../machines/message/log.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { isRequestMessage, isRequestOpen } from "../../../machines/message/request.ts";
import { EMPTY_LOG_FACTS, logFactsAfter } from "../../../verify/laws/log-facts.ts";
import { foreignEvent } from "../../machines/message/arbitraries.ts";
import { test } from "../../support/prop.ts";

/** Commits of several events each. A law sees the log only between commits. */
const commits = fc.array(fc.array(foreignEvent(), { minLength: 1, maxLength: 4 }), { maxLength: 15 });

describe("the facts of a log", () => {
  test.prop([commits], { numRuns: 200 })(
    "derived incrementally equal those derived from all messages",
    (groups) => {
      let log = emptyLog;
      let facts = EMPTY_LOG_FACTS;
      for (const group of groups) {
        const next = group.reduce(applyLogEvent, log);
        facts = logFactsAfter(facts, log, next);
        const messages = next.toArray();
        const where = (is: (message: ClineMessage) => boolean) =>
          messages.flatMap((message, at) => (is(message) ? [at] : []));
        const either = Array.from({ length: Math.max(log.length, next.length) }, (_, at) => at);
        expect(facts).toEqual({
          derived: detectAgentState(messages),
          changed: either.filter((at) => log.at(at) !== next.at(at)),
          partial: where(({ partial }) => partial === true),
          openAsks: where(({ type, closing }) => type === "ask" && closing === undefined),
          openRequests: where(isRequestOpen),
          newestRequest: messages.findLastIndex(isRequestMessage),
        });
        log = next;
      }
    },
  );

  it("of an unchanged log are the same object", () => {
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
