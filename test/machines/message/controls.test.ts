import { describe, expect, it } from "vitest";
import { ASKS, type AskType, isAskType } from "../../../machines/message/asks.ts";
import { webviewControls } from "../../../machines/message/controls.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";

const ask = (kind: string, more: Partial<ClineMessage> = {}): ClineMessage => ({
  ts: 9,
  type: "ask",
  ask: kind,
  ...more,
});
const say = (kind: string): ClineMessage => ({ ts: 1, type: "say", say: kind });
const asks = Object.keys(ASKS).filter(isAskType);

/** Ask: primary button, its action, secondary button, its action, text field locked, what text does. */
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
    "has for %s the buttons %s (%s), %s (%s)",
    (kind, primary, primaryAction, secondary, secondaryAction, locked, sending) => {
      const controls = webviewControls([say("api_req_started"), ask(kind)]);
      const sent = [controls.primary, controls.secondary].map((button) => {
        if (button?.action.type === "askResponse") return button.action.askResponse;
        return button?.action.type === "terminalOperation"
          ? button.action.terminalOperation
          : button?.action.type;
      });
      expect([controls.primary?.label, sent[0], controls.secondary?.label, sent[1]]).toEqual([
        primary,
        primaryAction,
        secondary,
        secondaryAction,
      ]);
      expect(controls).toMatchObject({ ask: kind, enabled: true, sendingDisabled: locked, sending });
    },
  );

  it("has no buttons for a say message, even with an ask", () => {
    const controls = webviewControls([say("api_req_started"), { ...say("text"), ask: "tool" }]);
    expect(controls).toEqual({ enabled: false, sendingDisabled: true, sending: "queueMessage" });
  });

  it("covers every ask in this table", () => {
    expect(table.map(([kind]) => kind).toSorted()).toEqual(asks.toSorted());
  });

  it.each(asks)("has no button that %s rejects (L8)", (kind) => {
    const { primary, secondary } = webviewControls([ask(kind)]);
    for (const button of [primary, secondary]) {
      if (button?.action.type !== "askResponse") continue;
      expect(ASKS[kind][button.action.askResponse === "yesButtonClicked" ? "yes" : "no"]).toBe("accepted");
    }
  });

  it.each(asks)("has disabled buttons for a partial %s (L8)", (kind) => {
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
  ])("labels the buttons of a tool by its descriptor: %s", (text, primary, secondary) => {
    const controls = webviewControls([ask("tool", { text })]);
    expect([controls.primary?.label, controls.secondary?.label]).toEqual([primary, secondary]);
  });

  it("starts a task without messages", () => {
    expect(webviewControls([])).toEqual({ enabled: false, sendingDisabled: false, sending: "newTask" });
    expect(webviewControls(undefined).sending).toBe("newTask");
  });

  it("locks the text field from the first request to the next ask, and queues text", () => {
    expect(webviewControls([say("text")]).sendingDisabled).toBe(false);
    for (const kind of ["api_req_started", "api_req_retry_delayed", "api_req_rate_limit_wait"]) {
      expect(webviewControls([say("text"), say(kind), say("text")])).toEqual({
        enabled: false,
        sendingDisabled: true,
        sending: "queueMessage",
      });
    }
  });

  it("locks the text field also if the request is the first message", () => {
    expect(webviewControls([say("api_req_started"), say("text")]).sendingDisabled).toBe(true);
    expect(webviewControls([ask("tool"), say("text")]).sendingDisabled).toBe(true);
  });

  it("ignores the ask of a say message", () => {
    expect(webviewControls([{ ...ask("tool"), type: "say" }])).toEqual({
      enabled: false,
      sendingDisabled: false,
      sending: "queueMessage",
    });
  });

  it.each(["plan_mode_respond", "toString"])(
    "has no buttons of an earlier ask after the unknown ask %s",
    (kind) => {
      const controls = webviewControls([ask("tool"), ask(kind)]);
      expect(controls).toEqual({ enabled: false, sendingDisabled: true, sending: "queueMessage" });
    },
  );

  it("has no buttons of an ask before another message (L8)", () => {
    expect(webviewControls([ask("tool"), say("checkpoint_saved")])).not.toHaveProperty("primary");
  });
});
