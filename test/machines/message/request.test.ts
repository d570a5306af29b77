import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ClineMessage } from "../../../machines/message/message.ts";
import {
  closedRequestText,
  isAmount,
  isRequestOpen,
  openRequestText,
  requestInfo,
} from "../../../machines/message/request.ts";
import { test } from "../../support/prop.ts";

const request = (text?: string | null): ClineMessage => ({
  ts: 1,
  type: "say",
  say: "api_req_started",
  ...(text !== undefined && { text }),
});
const usage = { tokensIn: 10, tokensOut: 20, cacheWrites: 3, cacheReads: 4 };

describe("A request message", () => {
  it("is open with openRequestText, and closed with closedRequestText (L4)", () => {
    expect(isRequestOpen(request(openRequestText({ apiProtocol: "anthropic" })))).toBe(true);
    expect(isRequestOpen(request(closedRequestText({ ...usage, cost: 0 })))).toBe(false);
  });

  test.prop([fc.double()], { examples: [[Number.NaN], [Number.POSITIVE_INFINITY]] })(
    "is closed by any cost, also one that JSON cannot represent (L4)",
    (cost) => {
      const closed = request(closedRequestText({ ...usage, cost }));
      expect(isRequestOpen(closed)).toBe(false);
      expect(requestInfo(closed)?.cost).toBe(isAmount(cost) ? cost + 0 : null);
    },
  );

  it("is closed by an unknown cost, which is not 0 (L4)", () => {
    const closed = request(closedRequestText({ ...usage, cost: null }));
    expect(isRequestOpen(closed)).toBe(false);
    expect(requestInfo(closed)).toEqual({ ...usage, cost: null });
  });

  it("has the fields it was created from", () => {
    const end = {
      ...usage,
      apiProtocol: "anthropic",
      cost: 0.25,
      cancelReason: "streaming_failed",
      streamingFailedMessage: "The stream was cut.",
    } as const;
    expect(requestInfo(request(closedRequestText(end)))).toEqual(end);
    expect(JSON.parse(closedRequestText({ ...usage, cost: 1, cancelReason: undefined }))).toEqual({
      ...usage,
      cost: 1,
    });
  });

  it("omits missing and invalid fields", () => {
    expect(requestInfo(request())).toEqual({});
    expect(requestInfo(request('{"cost":"free","tokensIn":1,"other":2}'))).toEqual({ tokensIn: 1 });
    expect(requestInfo(request('{"cost":1e308,"tokensIn":-1,"tokensOut":2}'))).toEqual({ tokensOut: 2 });
    for (const text of ["null", "7", "[1]", "{"]) expect(requestInfo(request(text))).toBeUndefined();
    expect(requestInfo({ ts: 1, type: "say", say: "text", text: '{"cost":1}' })).toBeUndefined();
  });

  it("is not any other message", () => {
    expect(isRequestOpen({ ts: 1, type: "say", say: "text", text: "{}" })).toBe(false);
  });
});
