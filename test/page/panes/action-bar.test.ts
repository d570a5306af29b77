import { createElement } from "react";
import { expect, test } from "vitest";
import { ASKS, answerHandling, isAskType } from "../../../machines/message/asks.ts";
import { ASK_VIEWS, type AskView } from "../../../present/asks.ts";
import { ActionBar, type ActionBarProps } from "../../../visualize/page/actions/action-bar.tsx";
import type { OpenAskInfo } from "../../../wire/http/api.ts";
import { htmlOf, readOf, tagsOf } from "./markup.ts";
import { NO_REQUESTS } from "./no-requests.ts";
import { traceOfMessages } from "./trace.ts";

const KINDS = Object.keys(ASKS).filter(isAskType);

/** The HTML of the action bar at an open ask. */
function shownHtml(kind: string, errorCode?: string, more: Partial<ActionBarProps> = {}): string {
  const accepts = (["yes", "no", "text"] as const).filter(
    (answer) => !isAskType(kind) || answerHandling(kind, answer) === "accepted",
  );
  const trace = traceOfMessages([
    { ts: 1_500, type: "ask", ask: kind, text: "{}", ...(errorCode !== undefined && { errorCode }) },
  ]);
  const ask = { askId: 1_500, kind, text: "{}", accepts };
  const ignore = () => {};
  return htmlOf(
    createElement(ActionBar, {
      ...{ taskId: "t1", moment: trace.moment(trace.length - 1), asks: [ask], actions: NO_REQUESTS },
      ...{ isPast: false, isLoaded: true, isOpen: true, isElsewhere: false, isLost: false },
      ...{ onError: ignore, onOpened: ignore, onLive: ignore },
      ...more,
    }),
  );
}

/** Its text. */
const shown = (kind: string, errorCode?: string, more: Partial<ActionBarProps> = {}): string =>
  readOf(shownHtml(kind, errorCode, more));

const buttonsOf = (html: string) => tagsOf(html).filter(({ name }) => name === "button");

test.each(KINDS)(
  "the action bar says what an ask of the kind %s asks, with a button for each answer",
  (kind) => {
    const { about, question, yes = "", no = "" }: AskView = ASK_VIEWS[kind];
    for (const text of [about, question, yes, no]) expect(shown(kind)).toContain(text);
  },
);

test("the action bar says that the control protocol ended the task, and offers no other try", () => {
  const text = shown("api_req_failed", "shut_down");
  expect(text).toContain("The control protocol ended the task. No request follows.");
  expect(text).toContain("Leave");
  expect(text).not.toMatch(/Retry|Yes/);
});

test("an ask of an unknown kind is shown by its name, with a yes and a no", () => {
  for (const text of ["constructor", "Yes", "No"]) expect(shown("constructor")).toContain(text);
});

test.each([
  ["the ask of a tool", "tool", {}],
  ["a running command", "command_output", {}],
  ["a task that is not open", "tool", { isOpen: false }],
  ["a task whose process has ended", "tool", { isOpen: false, ended: "The process ended." }],
] as const)("without a connection each action on %s waits", (_, kind, more) => {
  const buttons = buttonsOf(shownHtml(kind, undefined, { ...more, isLost: true }));
  expect(buttons.length).toBeGreaterThan(1);
  for (const { attributes } of buttons) expect(attributes.has("disabled")).toBe(true);
});

test("without a connection no suggested answer can be chosen", () => {
  const text = JSON.stringify({ question: "Which?", suggest: [{ answer: "left" }] });
  const ask: OpenAskInfo = { askId: 1_500, kind: "followup", text, accepts: ["text"] };
  const choiceOf = (isLost: boolean) =>
    tagsOf(shownHtml("followup", undefined, { asks: [ask], isLost })).find(({ name }) => name === "fieldset");
  expect(choiceOf(true)?.attributes.has("disabled")).toBe(true);
  expect(choiceOf(false)?.attributes.has("disabled")).toBe(false);
});

test("without a connection a past event still leads to the end, and can't be forked", () => {
  const [fork, end] = buttonsOf(shownHtml("tool", undefined, { isPast: true, isLost: true }));
  expect(fork?.attributes.has("disabled")).toBe(true);
  expect(end?.attributes.has("disabled")).toBe(false);
});

test("a task whose process has ended says how, and when its last event was, and offers to recover it", () => {
  const ended = "The process ended while a tool ran, 4 min ago.";
  const text = shown("tool", undefined, { isOpen: false, ended });
  expect(text).toMatch(/^The process ended while a tool ran, 4 min ago. Last event: \d\d:\d\d:01\.001/);
  expect(text).toContain("Recover");
  expect(text).not.toContain("Open task");
  expect(shown("tool", undefined, { isOpen: false })).toContain("Open task");
});

test("no action is offered before all past events are loaded: the newest is not known", () => {
  const html = shownHtml("tool", undefined, { isLoaded: false });
  expect(readOf(html)).toBe("Loading the events of this task …");
  expect(buttonsOf(html)).toEqual([]);
});
