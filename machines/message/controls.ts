import { ASKS, type AskType, isAskType } from "./asks.ts";
import { parseJson } from "./json.ts";
import { type MessageSequence, type Messages, toSequence } from "./log.ts";
import type { ClineMessage } from "./message.ts";

/** What a button sends, in the family's own form. */
export type WebviewAction =
  | { readonly type: "askResponse"; readonly askResponse: "yesButtonClicked" | "noButtonClicked" }
  | { readonly type: "clearTask" }
  | { readonly type: "terminalOperation"; readonly terminalOperation: "continue" | "abort" };

export interface WebviewButton {
  readonly label: string;
  readonly action: WebviewAction;
}

/** What a chat view offers its user. */
export interface WebviewControls {
  /** The ask that the buttons are about; also while it streams. */
  readonly ask?: AskType;
  readonly primary?: WebviewButton;
  readonly secondary?: WebviewButton;
  /** Whether the buttons can be pressed, and the ask be answered. */
  readonly enabled: boolean;
  /** Whether the text field is locked. */
  readonly sendingDisabled: boolean;
  /** What sending text does: it begins a task, answers the ask, or waits in the queue. */
  readonly sending: "newTask" | "messageResponse" | "queueMessage";
}

interface ControlsOfAsk {
  readonly primary?: WebviewButton;
  readonly secondary?: WebviewButton;
  /** Locks the text field also when the ask is whole. */
  readonly locked?: true;
}

const button = (label: string, action: WebviewAction): WebviewButton => ({ label, action });
const yes = (label: string) => button(label, { type: "askResponse", askResponse: "yesButtonClicked" });
const no = button("Reject", { type: "askResponse", askResponse: "noButtonClicked" });
const clear = (label: string) => button(label, { type: "clearTask" });
const terminal = (label: string, terminalOperation: "continue" | "abort") =>
  button(label, { type: "terminalOperation", terminalOperation });
const NEW_TASK = clear("Start new task");

const OF_ASK: Readonly<Record<AskType, ControlsOfAsk>> = {
  followup: {},
  command: { primary: yes("Run"), secondary: no },
  tool: { primary: yes("Approve"), secondary: no },
  use_mcp_server: { primary: yes("Approve"), secondary: no },
  browser_action_launch: { primary: yes("Approve"), secondary: no },
  completion_result: { primary: NEW_TASK },
  api_req_failed: { primary: yes("Retry"), secondary: NEW_TASK, locked: true },
  mistake_limit_reached: { primary: yes("Proceed anyways"), secondary: NEW_TASK },
  auto_approval_max_req_reached: { primary: yes("Proceed"), secondary: NEW_TASK, locked: true },
  resume_completed_task: { primary: NEW_TASK },
  resume_task: { primary: yes("Resume"), secondary: clear("Terminate") },
  command_output: {
    primary: terminal("Proceed while running", "continue"),
    secondary: terminal("Kill", "abort"),
  },
};

const CHANGES_A_FILE: ReadonlySet<unknown> = new Set([
  "editedExistingFile",
  "appliedDiff",
  "newFileCreated",
  "generateImage",
]);

/**
 * The buttons and the text field that the messages of a task call for. The webview's program keeps these in
 * four variables that it changes with each message and click; this is a function of the messages alone. Its
 * rule: an ask is open only while it is the last message, and a partial ask takes no answer (L8). So nothing
 * that stands behind an ask keeps that ask's buttons alive.
 *
 * While the agent works, from its first request to its next ask, the text field is locked as the webview's
 * is; text that a client sends all the same is queued.
 *
 * @example
 * ```ts
 * import { webviewControls } from "signalbox/machines";
 * const controls = webviewControls([{ ts: 1, type: "ask", ask: "command", text: "npm test" }]);
 * console.log(controls.primary?.label, controls.secondary?.label); // Run Reject
 * ```
 */
export function webviewControls(messages: Messages): WebviewControls {
  const rows = toSequence(messages);
  const last = rows.at(-1);
  if (!last) return { enabled: false, sendingDisabled: false, sending: "newTask" };
  if (last.type !== "ask" || !isAskType(last.ask)) {
    return { enabled: false, sendingDisabled: hasBegun(rows), sending: "queueMessage" };
  }
  const ask = last.ask;
  const whole = last.partial !== true;
  const { locked, ...buttons } = ask === "tool" ? controlsOfTool(last) : OF_ASK[ask];
  return {
    ask,
    ...buttons,
    enabled: whole,
    sendingDisabled: !whole || locked === true,
    sending: whole && ASKS[ask].text === "accepted" ? "messageResponse" : "queueMessage",
  };
}

/** Rows that lock the text field until the next ask. */
const WORKING: ReadonlySet<unknown> = new Set([
  "api_req_started",
  "api_req_retry_delayed",
  "api_req_rate_limit_wait",
]);

/** Whether the agent has begun to work: before that, the field stays as it was for the prompt. */
function hasBegun(messages: MessageSequence): boolean {
  for (let position = messages.length - 1; position >= 0; position -= 1) {
    const message = messages.at(position);
    if (message && (message.type === "ask" || WORKING.has(message.say))) return true;
  }
  return false;
}

function controlsOfTool(row: ClineMessage): ControlsOfAsk {
  const tool = toolOf(row.text);
  if (tool === "finishTask") return { primary: yes("Complete subtask and return") };
  return CHANGES_A_FILE.has(tool) ? { primary: yes("Save"), secondary: no } : OF_ASK.tool;
}

/** The descriptor's `tool`, where the row's text is a whole descriptor. */
function toolOf(text: string | null | undefined): unknown {
  const descriptor = parseJson(text ?? "");
  return typeof descriptor === "object" && descriptor !== null && "tool" in descriptor
    ? descriptor.tool
    : undefined;
}
