import { ASKS, type AskType, isAskType } from "./asks.ts";
import { parseJson } from "./json.ts";
import { type MessageSequence, type Messages, toSequence } from "./log.ts";
import type { ClineMessage } from "./message.ts";

/** Message that a button sends, in the format of Roo Code. */
type WebviewAction =
  | { readonly type: "askResponse"; readonly askResponse: "yesButtonClicked" | "noButtonClicked" }
  | { readonly type: "clearTask" }
  | { readonly type: "terminalOperation"; readonly terminalOperation: "continue" | "abort" };

interface WebviewButton {
  readonly label: string;
  readonly action: WebviewAction;
}

/** Controls of a chat view. */
export interface WebviewControls {
  /** The ask of the buttons, also while it streams. */
  readonly ask?: AskType;
  readonly primary?: WebviewButton;
  readonly secondary?: WebviewButton;
  /** Whether the buttons are enabled and the ask can be answered. */
  readonly enabled: boolean;
  /** Whether the text field is locked. */
  readonly sendingDisabled: boolean;
  /** The effect of sent text: it starts a task, answers the ask, or waits in the queue. */
  readonly sending: "newTask" | "messageResponse" | "queueMessage";
}

interface AskControls {
  readonly primary?: WebviewButton;
  readonly secondary?: WebviewButton;
  /** Whether the text field is locked for a complete ask too. */
  readonly locked?: true;
}

const button = (label: string, action: WebviewAction): WebviewButton => ({ label, action });
const yes = (label: string) => button(label, { type: "askResponse", askResponse: "yesButtonClicked" });
const no = button("Reject", { type: "askResponse", askResponse: "noButtonClicked" });
const clear = (label: string) => button(label, { type: "clearTask" });
const terminal = (label: string, terminalOperation: "continue" | "abort") =>
  button(label, { type: "terminalOperation", terminalOperation });
const NEW_TASK = clear("Start new task");

const ASK_CONTROLS: Readonly<Record<AskType, AskControls>> = {
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

const FILE_TOOLS: ReadonlySet<unknown> = new Set([
  "editedExistingFile",
  "appliedDiff",
  "newFileCreated",
  "generateImage",
]);

/**
 * Derive the buttons and the text field of a chat view from the messages of a task. An ask is open only while it is the
 * last message, and a partial ask accepts no answer (L8): a message after an ask removes its buttons.
 *
 * From its first request to its next ask the agent works, and the text field is locked, as in Roo Code's webview. Text
 * sent in the meantime is queued.
 *
 * @example
 * ```ts
 * import { webviewControls } from "signalbox/machines";
 * const controls = webviewControls([{ ts: 1, type: "ask", ask: "command", text: "npm test" }]);
 * console.log(controls.primary?.label, controls.secondary?.label); // Run Reject
 * ```
 */
export function webviewControls(messages: Messages): WebviewControls {
  const sequence = toSequence(messages);
  const last = sequence.at(-1);
  if (!last) return { enabled: false, sendingDisabled: false, sending: "newTask" };
  if (last.type !== "ask" || !isAskType(last.ask)) {
    return { enabled: false, sendingDisabled: hasStarted(sequence), sending: "queueMessage" };
  }
  const ask = last.ask;
  const isComplete = last.partial !== true;
  const { locked, ...buttons } = ask === "tool" ? toolControls(last) : ASK_CONTROLS[ask];
  return {
    ask,
    ...buttons,
    enabled: isComplete,
    sendingDisabled: !isComplete || locked === true,
    sending: isComplete && ASKS[ask].text === "accepted" ? "messageResponse" : "queueMessage",
  };
}

/** Messages that lock the text field until the next ask. */
const WORKING_SAYS: ReadonlySet<unknown> = new Set([
  "api_req_started",
  "api_req_retry_delayed",
  "api_req_rate_limit_wait",
]);

/** Whether the agent has started to work. Before that, the text field is unlocked, as for the prompt. */
function hasStarted(messages: MessageSequence): boolean {
  for (let position = messages.length - 1; position >= 0; position -= 1) {
    const message = messages.at(position);
    if (message && (message.type === "ask" || WORKING_SAYS.has(message.say))) return true;
  }
  return false;
}

function toolControls({ text }: ClineMessage): AskControls {
  const tool = toolOf(text);
  if (tool === "finishTask") return { primary: yes("Complete subtask and return") };
  return FILE_TOOLS.has(tool) ? { primary: yes("Save"), secondary: no } : ASK_CONTROLS.tool;
}

/** The `tool` of a descriptor; `undefined` if the text is not a complete descriptor. */
function toolOf(text: string | null | undefined): unknown {
  const descriptor = parseJson(text ?? "");
  return typeof descriptor === "object" && descriptor !== null && "tool" in descriptor
    ? descriptor.tool
    : undefined;
}
