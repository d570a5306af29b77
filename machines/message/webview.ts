import { type AgentLoopState, stateInfo } from "./detect.ts";
import { type Messages, toSequence } from "./log.ts";
import { isRequestOpen, newestRequest } from "./request.ts";

/** The states that the family's webview tells apart. */
export type WebviewState = "running" | "streaming" | "interactive" | "followup" | "idle" | "resumable";

const AS_SHOWN: Readonly<Record<AgentLoopState, WebviewState>> = {
  no_task: "running",
  running: "running",
  streaming: "streaming",
  waiting_for_input: "interactive",
  idle: "idle",
  resumable: "resumable",
};

/**
 * The state of a task as the webview's document defines it. It differs from `detectAgentState` in three
 * cases: no messages mean `running`, a question to the user is a state of its own (`followup`), and a request
 * whose row has no text yet counts as closed. `docs/concepts/derivation.md` lists all differences.
 */
export function detectWebviewState(messages: Messages): WebviewState {
  const rows = toSequence(messages);
  const { state, currentAsk } = stateInfo(rows.at(-1), () => {
    const request = newestRequest(rows);
    return request?.text ? isRequestOpen(request) : false;
  });
  return state === "waiting_for_input" && currentAsk === "followup" ? "followup" : AS_SHOWN[state];
}
