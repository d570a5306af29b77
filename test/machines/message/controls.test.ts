import { describe, expect, it } from "vitest";
import {
  ASKS,
  type AskType,
  type ClineMessage,
  isAskType,
  webviewControls,
} from "../../../machines/message/index.ts";

const ask = (kind: string, more: Partial<ClineMessage> = {}): ClineMessage => ({
  ts: 9,
  type: "ask",
  ask: kind,
  ...more,
});
const say = (kind: string): ClineMessage => ({ ts: 1, type: "say", say: kind });
const asks = Object.keys(ASKS).filter(isAskType);

/** ask: primary, what it sends, secondary, what it sends, text field locked, what text does. */
const table: [AskType, ...(string | boolean | undefined)[]][] = [
  ["followup", undefined, undefined, undefined, undefined, false, "messageResponse"],
  ["command", "Run", "yesButtonClicked", "Reject", "noButtonClicked", false, "messageResponse"],
  ["tool", "Approve", "yesButtonClicked", "Reject", "noButtonClicked", false, "messageResponse"],
  ["use_mcp_server", "Approve", "yesButtonClicked", "Reject", "noButtonClicked", false, "messageResponse"],
  [
    "browser_action_launch",
    "Approve",
    "yesButtonClicked",
    "Reject",
    "noButtonClicked",
    false,
    "messageResponse",
  ],
  ["completion_result", "Start new task", "clearTask", undefined, undefined, false, "messageResponse"],
  ["api_req_failed", "Retry", "yesButtonClicked", "Start new task", "clearTask", true, "queueMessage"],
  [
    "mistake_limit_reached",
    "Proceed anyways",
    "yesButtonClicked",
    "Start new task",
    "clearTask",
    false,
    "messageResponse",
  ],
  [
    "auto_approval_max_req_reached",
    "Proceed",
    "yesButtonClicked",
    "Start new task",
    "clearTask",
    true,
    "queueMessage",
  ],
  ["resume_completed_task", "Start new task", "clearTask", undefined, undefined, false, "messageResponse"],
  ["resume_task", "Resume", "yesButtonClicked", "Terminate", "clearTask", false, "messageResponse"],
  ["command_output", "Proceed while running", "continue", "Kill", "abort", false, "queueMessage"],
];

describe("webviewControls", () => {
  it.each(table)(
    "offers for %s: %s (%s), %s (%s)",
    (kind, primary, sends, secondary, alsoSends, locked, sending) => {
      const controls = webviewControls([say("api_req_started"), ask(kind)]);
      const sent = [controls.primary, controls.secondary].map((button) => {
        if (button?.action.type === "askResponse") return button.action.askResponse;
        return button?.action.type === "terminalOperation"
          ? button.action.terminalOperation
          : button?.action.type;
      });
      expect([controls.primary?.label, sent[0], controls.secondary?.label, sent[1]]).toEqual([
        primary,
        sends,
        secondary,
        alsoSends,
      ]);
      expect(controls).toMatchObject({ ask: kind, enabled: true, sendingDisabled: locked, sending });
    },
  );

  it("offers none for what is said, whatever ask it bears", () => {
    const controls = webviewControls([say("api_req_started"), { ...say("text"), ask: "tool" }]);
    expect(controls).toEqual({ enabled: false, sendingDisabled: true, sending: "queueMessage" });
  });

  it("has a row for every ask", () => {
    expect(table.map(([kind]) => kind).toSorted()).toEqual(asks.toSorted());
  });

  it.each(asks)("offers no button that %s would refuse (L8)", (kind) => {
    const { primary, secondary } = webviewControls([ask(kind)]);
    for (const button of [primary, secondary]) {
      if (button?.action.type !== "askResponse") continue;
      expect(ASKS[kind][button.action.askResponse === "yesButtonClicked" ? "yes" : "no"]).toBe("accepted");
    }
  });

  it.each(asks)("lets nobody answer %s while it is partial (L8)", (kind) => {
    expect(webviewControls([ask(kind, { partial: true })])).toMatchObject({
      ask: kind,
      enabled: false,
      sendingDisabled: true,
      sending: "queueMessage",
    });
  });

  it.each([
    ['{"tool":"editedExistingFile"}', "Save", "Reject"],
    ['{"tool":"appliedDiff"}', "Save", "Reject"],
    ['{"tool":"newFileCreated"}', "Save", "Reject"],
    ['{"tool":"generateImage"}', "Save", "Reject"],
    ['{"tool":"readFile"}', "Approve", "Reject"],
    ['{"tool":"finishTask"}', "Complete subtask and return", undefined],
    ['{"tool":"editedExis', "Approve", "Reject"],
    ["null", "Approve", "Reject"],
    ["7", "Approve", "Reject"],
    ["{}", "Approve", "Reject"],
  ])("names the buttons of a tool by what it does: %s", (text, primary, secondary) => {
    const controls = webviewControls([ask("tool", { text })]);
    expect([controls.primary?.label, controls.secondary?.label]).toEqual([primary, secondary]);
  });

  it("begins a task where there is none", () => {
    expect(webviewControls([])).toEqual({ enabled: false, sendingDisabled: false, sending: "newTask" });
    expect(webviewControls(undefined).sending).toBe("newTask");
  });

  it("locks the text field from the first request to the next ask, and queues what is sent all the same", () => {
    expect(webviewControls([say("text")]).sendingDisabled).toBe(false);
    for (const kind of ["api_req_started", "api_req_retry_delayed", "api_req_rate_limit_wait"]) {
      expect(webviewControls([say("text"), say(kind), say("text")])).toEqual({
        enabled: false,
        sendingDisabled: true,
        sending: "queueMessage",
      });
    }
  });

  it("locks the text field also where the request is the first message, as in a log that was cut", () => {
    expect(webviewControls([say("api_req_started"), say("text")]).sendingDisabled).toBe(true);
    expect(webviewControls([ask("tool"), say("text")]).sendingDisabled).toBe(true);
  });

  it("takes no row of type say for an ask, also if it names one", () => {
    expect(webviewControls([{ ...ask("tool"), type: "say" }])).toEqual({
      enabled: false,
      sendingDisabled: false,
      sending: "queueMessage",
    });
  });

  it.each(["plan_mode_respond", "toString"])(
    "keeps no other ask's buttons alive behind the unknown ask %s",
    (kind) => {
      const controls = webviewControls([ask("tool"), ask(kind)]);
      expect(controls).toEqual({ enabled: false, sendingDisabled: true, sending: "queueMessage" });
    },
  );

  it("keeps no buttons of an ask that something stands behind (L8)", () => {
    expect(webviewControls([ask("tool"), say("checkpoint_saved")])).not.toHaveProperty("primary");
  });
});
