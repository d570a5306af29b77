import { createElement } from "react";
import { expect, test } from "vitest";
import { ASKS, answerHandling, isAskType } from "../../../machines/message/asks.ts";
import { ASK_VIEWS, type AskView } from "../../../present/asks.ts";
import { ActionBar } from "../../../visualize/page/actions/action-bar.tsx";
import { htmlOf, readOf } from "./markup.ts";
import { NO_REQUESTS } from "./no-requests.ts";
import { traceOfMessages } from "./trace.ts";

const KINDS = Object.keys(ASKS).filter(isAskType);

/** The text of the action bar at an open ask. */
function shown(kind: string, errorCode?: string): string {
  const accepts = (["yes", "no", "text"] as const).filter(
    (answer) => !isAskType(kind) || answerHandling(kind, answer) === "accepted",
  );
  const trace = traceOfMessages([
    { ts: 1_500, type: "ask", ask: kind, text: "{}", ...(errorCode !== undefined && { errorCode }) },
  ]);
  const ask = { askId: 1_500, kind, text: "{}", accepts };
  const ignore = () => {};
  return readOf(
    htmlOf(
      createElement(ActionBar, {
        ...{ taskId: "t1", moment: trace.moment(trace.length - 1), asks: [ask], actions: NO_REQUESTS },
        ...{ isAtEnd: true, isInterrupted: false, isOpen: true },
        ...{ onError: ignore, onOpened: ignore, onLive: ignore },
      }),
    ),
  );
}

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
  expect(text).not.toMatch(/Try again|Yes/);
});

test("an ask of an unknown kind is shown by its name, with a yes and a no", () => {
  for (const text of ["constructor", "Yes", "No"]) expect(shown("constructor")).toContain(text);
});
