import { stateInfo } from "./detect.ts";
import { type Messages, toSequence } from "./log.ts";
import { isRequestOpen, newestRequest } from "./request.ts";
import type { AgentLoopState } from "./states.ts";

/** States of Roo Code's webview. */
export type WebviewState = "running" | "streaming" | "interactive" | "followup" | "idle" | "resumable";

const WEBVIEW_STATES: Readonly<Record<AgentLoopState, WebviewState>> = {
  no_task: "running",
  running: "running",
  streaming: "streaming",
  waiting_for_input: "interactive",
  idle: "idle",
  resumable: "resumable",
};

/**
 * Derive the state of a task as Roo Code's webview defines it. It differs from `detectAgentState` in three cases: without
 * messages it is `running`, a question to the user is a separate state (`followup`), and a request without text is closed.
 * `docs/concepts/derivation.md` lists all differences.
 */
export function detectWebviewState(messages: Messages): WebviewState {
  const sequence = toSequence(messages);
  const { state, currentAsk } = stateInfo(sequence.at(-1), () => {
    const request = newestRequest(sequence);
    return request?.text ? isRequestOpen(request) : false;
  });
  return state === "waiting_for_input" && currentAsk === "followup" ? "followup" : WEBVIEW_STATES[state];
}
