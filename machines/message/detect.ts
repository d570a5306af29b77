import { ASKS, type AskCategory, type AskType, isAskType, type RequiredAction } from "./asks.ts";
import { type Messages, toSequence } from "./log.ts";
import type { ClineMessage } from "./message.ts";
import { isRequestOpen, newestRequest } from "./request.ts";
import type { AgentLoopState } from "./states.ts";

/** State of an agent, for clients. */
export interface AgentStateInfo {
  readonly state: AgentLoopState;
  /** Whether the agent waits for a person; also when it is idle or resumable. */
  readonly isWaitingForInput: boolean;
  /** Whether the agent works; also while it streams. */
  readonly isRunning: boolean;
  readonly isStreaming: boolean;
  /** The open ask, or the one that streams and accepts no answer yet. */
  readonly currentAsk?: AskType | (string & {});
  readonly requiredAction: RequiredAction;
  readonly lastMessageTs?: number;
  readonly lastMessage?: ClineMessage;
  /** One sentence for people. */
  readonly description: string;
}

/**
 * Derive the state of a task from its messages. The first matching rule wins: no messages (R0), the last is partial (R1),
 * the last is an ask of a known kind (R2), the newest request is open (R3), otherwise running (R4). Never throws, for any
 * log.
 *
 * An array or a `Log` is read in place, from the end: the cost is constant except for the search of the newest
 * `api_req_started`. Any other iterable is copied. Use a {@link StateTracker} to follow a task event by event (L17).
 *
 * @example
 * ```ts
 * import { detectAgentState } from "signalbox/machines";
 * const info = detectAgentState([{ ts: 1, type: "ask", ask: "tool", text: "{}" }]);
 * console.log(info.state, info.requiredAction); // waiting_for_input approve
 * ```
 */
export function detectAgentState(messages: Messages): AgentStateInfo {
  const sequence = toSequence(messages);
  return stateInfo(sequence.at(-1), () => {
    const request = newestRequest(sequence);
    return request !== undefined && isRequestOpen(request);
  });
}

/** Apply the rules R0-R4. `isNewestRequestOpen` is called only for R3. */
export function stateInfo(
  last: ClineMessage | null | undefined,
  isNewestRequestOpen: () => boolean,
): AgentStateInfo {
  if (last === undefined || last === null) return NO_TASK;
  if (last.partial === true) return withAsk(withMessage(STREAMING, last), last.ask);
  if (last.type === "ask" && isAskType(last.ask)) {
    const { category, action } = ASKS[last.ask];
    return withAsk(withMessage(BY_CATEGORY[category], last, action), last.ask);
  }
  return withMessage(isNewestRequestOpen() ? STREAMING : RUNNING, last);
}

type StateTemplate = Pick<
  AgentStateInfo,
  "state" | "isWaitingForInput" | "isRunning" | "isStreaming" | "requiredAction" | "description"
>;

const template = (
  state: AgentLoopState,
  is: "waiting" | "running" | "streaming" | "absent",
  requiredAction: RequiredAction,
  description: string,
): StateTemplate => ({
  state,
  isWaitingForInput: is === "waiting",
  isRunning: is === "running" || is === "streaming",
  isStreaming: is === "streaming",
  requiredAction,
  description,
});

/** Field by field, without a spread: called for every delta of a stream (L17). */
const withMessage = (
  of: StateTemplate,
  last: ClineMessage,
  requiredAction = of.requiredAction,
): AgentStateInfo => ({
  state: of.state,
  isWaitingForInput: of.isWaitingForInput,
  isRunning: of.isRunning,
  isStreaming: of.isStreaming,
  requiredAction,
  description: of.description,
  lastMessageTs: last.ts,
  lastMessage: last,
});

const withAsk = (info: AgentStateInfo, currentAsk: AgentStateInfo["currentAsk"]): AgentStateInfo =>
  currentAsk ? { ...info, currentAsk } : info;

const NO_TASK = template("no_task", "absent", "start_new_task", "There is no task.");
const STREAMING = template("streaming", "streaming", "none", "The model's response is streaming.");
const RUNNING = template("running", "running", "none", "The agent is running.");
const BY_CATEGORY: Readonly<Record<AskCategory, StateTemplate>> = {
  interactive: template("waiting_for_input", "waiting", "none", "The agent waits for an answer."),
  idle: template("idle", "waiting", "none", "The task is at rest."),
  resumable: template("resumable", "waiting", "none", "The task was interrupted and can be resumed."),
  nonBlocking: template(
    "running",
    "running",
    "none",
    "A command is running. Continue without waiting for it, or abort it.",
  ),
};
