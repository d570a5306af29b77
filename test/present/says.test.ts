import { describe, expect, test } from "vitest";
import { ASKS } from "../../machines/message/asks.ts";
import { type ClineMessage, SAYS } from "../../machines/message/message.ts";
import { messageKind } from "../../present/message-kind.ts";
import { formatSay } from "../../present/says.ts";

const message = (fields: Partial<ClineMessage>): ClineMessage => ({ ts: 1, type: "say", ...fields });

describe("the kind of a message", () => {
  test.each(SAYS)("of the say %s has a title", (say) => {
    expect(messageKind(message({ say })).title).toMatch(/^[A-Z]/);
  });

  test.each(Object.keys(ASKS))("of the ask %s has a title", (ask) => {
    expect(messageKind(message({ type: "ask", ask })).title).toMatch(/^[A-Z]/);
  });

  test("is bad for every error", () => {
    const errors = SAYS.filter((say) => say.includes("error"));
    expect(errors).toHaveLength(4);
    for (const say of errors) expect(messageKind(message({ say })).tone).toBe("bad");
  });

  test("is the user's for the first text of a task, and the model's for the others", () => {
    expect(messageKind(message({ say: "text" }), 0).author).toBe("user");
    expect(messageKind(message({ say: "text" }), 1).author).toBe("model");
  });

  test("is a denial if the message has one, whatever it says", () => {
    expect(messageKind(message({ say: "hook", denial: { hook: "lint" } }))).toMatchObject({
      title: "Denied",
      tone: "bad",
    });
  });

  test("of an unknown name is titled by the name", () => {
    expect(messageKind(message({ say: "constructor" })).title).toBe("say constructor");
    expect(messageKind(message({ type: "ask", ask: "constructor" })).title).toBe("ask constructor");
  });
});

describe("the text of a message", () => {
  test.each([
    ["text", "Hello", "Hello"],
    ["error", "MODEL_NO_TOOLS_USED", expect.stringContaining("The model called no tool")],
    ["error", "constructor", "constructor"],
    ["rooignore_error", "secret", "Blocked by .rooignore: secret"],
    [
      "api_req_retry_delayed",
      "529\n529 Overloaded.\n<retry_timer>2</retry_timer>",
      "529 Overloaded. Retrying in 2 s.",
    ],
    ["api_req_rate_limit_wait", "Too soon.\n<retry_timer>7</retry_timer>", "Too soon. Starting in 7 s."],
    ["api_req_rate_limit_wait", '{"seconds":5}', "Starting in 5 s."],
    ["error", null, ""],
  ] as const)("of the say %s, recorded as %j, is %j", (say, text, shown) => {
    expect(formatSay({ say, text })).toEqual(shown);
  });
});
