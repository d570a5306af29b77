import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ClineMessage,
  closedRequestText,
  isRequestOpen,
  openRequestText,
  requestInfo,
} from "../../../machines/message/index.ts";
import { test } from "../../support/prop.ts";

const row = (text?: string | null): ClineMessage => ({
  ts: 1,
  type: "say",
  say: "api_req_started",
  ...(text !== undefined && { text }),
});
const usage = { tokensIn: 10, tokensOut: 20, cacheWrites: 3, cacheReads: 4 };

describe("The row of a request", () => {
  it("is open with the text of its beginning and closed with the text of its end (L4)", () => {
    expect(isRequestOpen(row(openRequestText({ apiProtocol: "anthropic" })))).toBe(true);
    expect(isRequestOpen(row(closedRequestText({ ...usage, cost: 0 })))).toBe(false);
  });

  test.prop([fc.double()], { examples: [[Number.NaN], [Number.POSITIVE_INFINITY]] })(
    "is closed whatever the cost, also one that JSON can't write (L4)",
    (cost) => {
      const closed = row(closedRequestText({ ...usage, cost }));
      expect(isRequestOpen(closed)).toBe(false);
      expect(typeof requestInfo(closed)?.cost).toBe("number");
    },
  );

  it("tells what it was written from", () => {
    const end = {
      ...usage,
      apiProtocol: "anthropic",
      cost: 0.25,
      cancelReason: "streaming_failed",
      streamingFailedMessage: "The stream was cut.",
    } as const;
    expect(requestInfo(row(closedRequestText(end)))).toEqual(end);
    expect(JSON.parse(closedRequestText({ ...usage, cost: 1, cancelReason: undefined }))).toEqual({
      ...usage,
      cost: 1,
    });
  });

  it("tells readers nothing that it does not hold", () => {
    expect(requestInfo(row())).toEqual({});
    expect(requestInfo(row('{"cost":"free","tokensIn":1,"other":2}'))).toEqual({ tokensIn: 1 });
    for (const text of ["null", "7", "[1]", "{"]) expect(requestInfo(row(text))).toBeUndefined();
    expect(requestInfo({ ts: 1, type: "say", say: "text", text: '{"cost":1}' })).toBeUndefined();
  });

  it("is no other row", () => {
    expect(isRequestOpen({ ts: 1, type: "say", say: "text", text: "{}" })).toBe(false);
  });
});
