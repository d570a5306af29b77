import { describe, expect, test } from "vitest";
import { ASKS, type AskType } from "../../machines/message/asks.ts";
import {
  ASK_VIEWS,
  type AskView,
  askLabel,
  askView,
  callAnswers,
  formatFailure,
  formatSubject,
  isApproval,
  openAskView,
} from "../../present/asks.ts";
import { messageKind } from "../../present/message-kind.ts";

const VIEWS: Readonly<Record<AskType, AskView>> = ASK_VIEWS;

describe("the view of an ask", () => {
  test.each(Object.entries(VIEWS))(
    "of the kind %s has a title and says in a sentence what is asked",
    (kind, view) => {
      expect(view.title).toMatch(/^[A-Z]/);
      expect(view.about).toMatch(/^[A-Z].*\.$/);
      expect(view.question).toMatch(/^$|^[A-Z].*\?$/);
      expect(askLabel(kind)).toBe(`${view.about} ${view.question}`.trim());
    },
  );

  test("exists for every kind, with words for the answers that the kind accepts and no others", () => {
    const answers = Object.entries(ASKS).map(([kind, { yes, no, text }]) => [
      kind,
      [yes, no, text].map((handling) => handling === "accepted"),
    ]);
    const words = Object.entries(VIEWS).map(([kind, { yes, no, text }]) => [
      kind,
      [yes, no, text].map((word) => word !== undefined),
    ]);
    expect(Object.fromEntries(words)).toEqual(Object.fromEntries(answers));
  });

  test("has a status for a kind at which a task rests, and for no other", () => {
    const resting = Object.entries(ASKS).filter(([, { category }]) =>
      ["idle", "resumable"].includes(category),
    );
    const withStatus = Object.entries(VIEWS).filter(([, { status }]) => status !== undefined);
    expect(withStatus.map(([kind]) => kind).sort()).toEqual(resting.map(([kind]) => kind).sort());
  });

  test("suggests no yes to a tool call (L7)", () => {
    const calls = Object.entries(VIEWS).filter(([kind]) => isApproval(kind));
    expect(calls.map(([kind]) => kind)).toEqual([
      "command",
      "tool",
      "use_mcp_server",
      "browser_action_launch",
    ]);
    for (const [, view] of calls) expect(view.default).toBe("no");
  });
});

describe("the end of a task by its control protocol", () => {
  const message = { ts: 1, type: "ask", ask: "api_req_failed", text: "The audit found an attack." } as const;

  test("is no failed request: it offers no yes, and no question is asked", () => {
    const view = askView("api_req_failed", { errorCode: "shut_down" });
    expect(view).toMatchObject({ about: "The control protocol ended the task.", isFinal: true });
    expect(view).not.toHaveProperty("yes");
    expect(askLabel("api_req_failed", { errorCode: "shut_down" })).toBe(
      "The control protocol ended the task. No request follows.",
    );
    expect(messageKind({ ...message, errorCode: "shut_down" }).title).toBe(view.title);
    expect(formatFailure({ ...message, errorCode: "shut_down" })).toBe("The audit found an attack.");
  });

  test.each([undefined, "overloaded_error"])("is not the failure of a request with the code %s", (code) => {
    expect(askView("api_req_failed", { errorCode: code })).toBe(ASK_VIEWS.api_req_failed);
    const failure = { ...message, text: "It is busy.", ...(code !== undefined && { errorCode: code }) };
    expect(formatFailure(failure)).toBe("The request failed: It is busy.");
    expect(messageKind(failure).title).toBe("The request failed. Retry?");
  });
});

test("an ask of an unknown kind is labelled by its name", () => {
  expect(askLabel("constructor")).toBe("constructor");
});

describe("the yes to an open ask", () => {
  const yes = (type: AskType, text: string): string | undefined => openAskView({ type, text }).yes;
  const toolYes = (tool: string) => yes("tool", JSON.stringify({ tool, path: "a.ts" }));

  test("is the verb of its call", () => {
    expect(yes("command", "npm test")).toBe("Run");
    expect(yes("use_mcp_server", "{}")).toBe("Call");
    for (const tool of ["newFileCreated", "editedExistingFile", "appliedDiff"])
      expect(toolYes(tool)).toBe("Save");
    for (const tool of ["readFile", "skill", "readArtifact", "commandOutput"])
      expect(toolYes(tool)).toBe("Read");
    expect(["searchFiles", "listFilesTopLevel", "newTask", "switchMode"].map(toolYes)).toEqual([
      ...["Search", "List", "Start", "Switch"],
    ]);
  });

  test("is the action of a call that uses the browser", () => {
    const actions = ["launch", "click", "scroll_down", "close"].map((action) =>
      yes("browser_action_launch", JSON.stringify({ tool: "browserAction", action })),
    );
    expect(actions).toEqual(["Open", "Click", "Scroll", "Close"]);
  });

  test("allows a call that has no known verb", () => {
    for (const text of ["", "{", "null", '{"tool":"deploy"}', '{"tool":"constructor"}'])
      expect(yes("tool", text)).toBe("Allow");
    const unknown = '{"tool":"browserAction","action":"constructor"}';
    expect(yes("browser_action_launch", unknown)).toBe("Allow");
  });

  test("is the word of its kind where it is not about a call, and is not offered after a shutdown", () => {
    const words = ["api_req_failed", "completion_result", "resume_task", "mistake_limit_reached"] as const;
    expect(words.map((type) => yes(type, '{"tool":"readFile"}'))).toEqual([
      ...["Retry", "Accept", "Resume", "Continue"],
    ]);
    expect(openAskView({ type: "api_req_failed", text: "", errorCode: "shut_down" })).not.toHaveProperty(
      "yes",
    );
  });

  test("stands beside the no of the call", () => {
    const answers = callAnswers({ type: "tool", text: '{"tool":"appliedDiff"}' });
    expect(answers).toEqual({ yes: "Save", no: "Reject" });
  });
});

describe("the subject of an ask", () => {
  test.each([
    ["followup", '{"question":"Which?","suggest":[]}', "Which?"],
    ["tool", '{"tool":"appliedDiff","path":"a.ts"}', "Edit a.ts"],
    ["tool", "Ring the bell", "Ring the bell"],
    ["command", "npm test", "npm test"],
    ["auto_approval_max_req_reached", '{"count":500,"type":"requests"}', "500 requests"],
    ["completion_result", '{"tool":"readFile"}', '{"tool":"readFile"}'],
  ] as const)("of the kind %s with the text %s is: %s", (ask, text, subject) => {
    expect(formatSubject({ ask, text })).toBe(subject);
  });
});
