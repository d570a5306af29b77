import { describe, expect, it } from "vitest";
import type { LogEvent } from "../../../machines/message/log.ts";
import type { AskClosing, ClineMessage, Patch } from "../../../machines/message/message.ts";
import type { TaskEmitted } from "../../../machines/task/task.events.ts";
import { oneAsk } from "../../../verify/laws/one-ask.ts";
import { appended, ask, gone, logOf, say, started } from "./commit-parts.ts";
import { stepOf } from "./step.ts";

const CLOSINGS: readonly AskClosing[] = ["answered", "withdrawn", "expired", "ended"];
const text = say(1, "text");
const took = started("ask:5");

/** The violation of a settled task with these messages, when the actor of the ask 5 is active. */
const settled = (...messages: readonly ClineMessage[]) =>
  oneAsk.violation(stepOf({ before: { log: logOf(...messages) }, earlier: [took] }));

describe("at most one ask is open (L8)", () => {
  it("and there may be none", () => {
    expect(settled()).toBeUndefined();
    expect(settled(text, say(2, "error"))).toBeUndefined();
  });

  it.each(CLOSINGS)("besides closed ones: %s", (closing) => {
    expect(
      settled(ask(1, "tool", { closing }), ask(2, "command", { closing }), ask(5, "tool")),
    ).toBeUndefined();
    expect(settled(ask(1, "tool"), ask(2, "command", { closing }), ask(5, "tool"))).toBe("2 asks are open");
  });

  it("and not two, or three", () => {
    expect(settled(ask(4, "tool"), ask(5, "tool"))).toBe("2 asks are open");
    expect(settled(ask(3, "tool"), ask(4, "tool"), ask(5, "tool"))).toBe("3 asks are open");
    expect(settled(ask(4, "tool", { partial: true }), ask(5, "tool"))).toBe("2 asks are open");
  });

  it("and it is the last message", () => {
    expect(settled(text, ask(5, "tool"))).toBeUndefined();
    expect(settled(text, ask(5, "tool"), say(6, "text"))).toBe("the open ask tool is not the last message");
    expect(settled(ask(5, "followup"), say(6, "text"))).toBe("the open ask followup is not the last message");
    expect(settled(ask(5, "tool", { closing: "answered" }), say(6, "text"))).toBeUndefined();
  });
});

describe("an open ask (L8)", () => {
  const alone = (message: ClineMessage, ...earlier: readonly TaskEmitted[]) =>
    oneAsk.violation(stepOf({ before: { log: logOf(text, message) }, earlier }));

  it("has an active actor", () => {
    expect(alone(ask(5, "tool"), took)).toBeUndefined();
    expect(alone(ask(5, "tool"))).toBe("no actor takes the answer to the open ask tool");
    expect(alone(ask(5, "tool"), started("ask:4"))).toBe("no actor takes the answer to the open ask tool");
    expect(alone(ask(5, "tool"), took, gone("ask:5"))).toBe("no actor takes the answer to the open ask tool");
  });

  it("needs no actor while it streams", () => {
    expect(alone(ask(5, "tool", { partial: true }))).toBeUndefined();
    expect(alone(ask(5, "tool", { partial: false }))).toMatch(/^no actor takes/);
  });

  it.each(CLOSINGS)("needs no actor once it is closed: %s", (closing) => {
    expect(alone(ask(5, "tool", { closing }))).toBeUndefined();
  });

  it("is not a say of the same kind", () => {
    expect(alone(say(5, "tool"))).toBeUndefined();
  });
});

const amended = (patch: Patch, ts = 5): LogEvent => ({ type: "message.amended", ts, patch });
const closed = (closing: AskClosing = "answered", ts = 5) => amended({ closing }, ts);

/** The violation of these changes of a log, when no ask is open in the end. */
const changed = (messages: readonly ClineMessage[], ...events: readonly LogEvent[]) =>
  oneAsk.violation(
    stepOf({ before: { log: logOf(...messages) }, after: { log: logOf(text) }, emitted: events }),
  );

describe("after an open ask (L8)", () => {
  it("nothing is appended", () => {
    expect(changed([ask(5, "tool")], appended(say(6, "text")))).toBe(
      "text was appended after the open ask tool",
    );
    expect(changed([ask(5, "tool")], appended(ask(6, "command")))).toBe(
      "command was appended after the open ask tool",
    );
    expect(changed([ask(5, "tool", { partial: true })], appended(say(6, "text")))).toMatch(
      "after the open ask tool",
    );
  });

  it("nothing is appended, even if it was opened and closed within the macrostep", () => {
    expect(changed([], appended(ask(5, "tool")), closed(), appended(say(6, "text")))).toBeUndefined();
    expect(changed([], appended(ask(5, "tool")), appended(say(6, "text")), closed())).toMatch(
      "after the open ask tool",
    );
    expect(changed([ask(5, "tool")], closed(), appended(say(6, "text")))).toBeUndefined();
    expect(changed([ask(5, "tool")], appended(say(6, "text")), closed())).toMatch("after the open ask tool");
  });

  it("messages may be amended or truncated", () => {
    expect(changed([text, ask(5, "tool")], amended({ text: "words" }))).toBeUndefined();
    expect(changed([ask(5, "command_output")], { type: "message.grown", ts: 5, text: "!" })).toBeUndefined();
    expect(changed([text, ask(5, "tool")], { type: "log.truncated", length: 1 })).toBeUndefined();
  });

  it.each<[string, readonly ClineMessage[]]>([
    ["nothing", []],
    ["a say", [text]],
    ["a closed ask", [ask(1, "tool", { closing: "withdrawn" })]],
    ["a say after a closed ask", [ask(1, "tool", { closing: "ended" }), say(2, "text")]],
  ])("but after %s a message may be appended", (_, messages) => {
    expect(changed(messages, appended(say(6, "text")))).toBeUndefined();
    expect(changed(messages, appended(ask(6, "tool")))).toBeUndefined();
  });
});

describe("an ask is closed once (L8)", () => {
  it.each(CLOSINGS)("%s", (closing) => {
    expect(changed([ask(5, "tool")], closed(closing))).toBeUndefined();
    expect(changed([ask(5, "tool", { closing })], closed(closing))).toBe(
      "the message tool was closed and is no open ask",
    );
    expect(changed([ask(5, "tool")], closed(closing), closed())).toBe(
      "the message tool was closed and is no open ask",
    );
  });

  it("by `closing`; other amendments don't close it again", () => {
    const answered = ask(5, "tool", { closing: "answered" });
    expect(changed([answered], amended({ isAnswered: true }))).toBeUndefined();
    expect(changed([answered], amended({ isAnswered: true, closing: "answered" }))).toMatch("was closed");
  });

  it("and no other message is", () => {
    expect(changed([say(5, "error")], closed())).toBe("the message error was closed and is no open ask");
    expect(changed([say(5, "error")], amended({ text: "words" }))).toBeUndefined();
  });

  it("and exists", () => {
    expect(changed([text], closed())).toBe("the message undefined was closed and is no open ask");
  });

  it("each by itself", () => {
    const messages = [ask(4, "command"), ask(5, "tool")];
    expect(changed(messages, closed("withdrawn", 4), closed())).toBeUndefined();
    expect(changed(messages, closed("withdrawn", 4), closed(), closed("withdrawn", 4))).toBe(
      "the message command was closed and is no open ask",
    );
  });
});
