import { ASKS, type AskCategory, type AskType, isAskType, type RequiredAction } from "./asks.ts";
import { type Messages, toSequence } from "./log.ts";
import type { ClineMessage } from "./message.ts";
import { isRequestOpen, newestRequest } from "./request.ts";

/** The six states of an agent's loop. The machine's top-level states bear the same names (L1). */
export type AgentLoopState = "no_task" | "running" | "streaming" | "waiting_for_input" | "idle" | "resumable";

/** What a client needs to know of the agent. */
export interface AgentStateInfo {
  readonly state: AgentLoopState;
  /** The agent goes on only after somebody has acted: also when it is idle or resumable. */
  readonly isWaitingForInput: boolean;
  /** The agent works: also while it streams. */
  readonly isRunning: boolean;
  readonly isStreaming: boolean;
  /** The ask that is open, or the one that streams. While it streams it takes no answer. */
  readonly currentAsk?: AskType | (string & {});
  readonly requiredAction: RequiredAction;
  readonly lastMessageTs?: number;
  readonly lastMessage?: ClineMessage;
  /** One sentence for people. */
  readonly description: string;
}

/**
 * The state that the messages of a task mean, by the rules of derivation, first match wins: no messages
 * (R0), the last is partial (R1), the last is an ask of a known kind (R2), the newest request is open (R3),
 * else running (R4). It reads foreign logs as well as ours and throws for none of them.
 *
 * An array and a `Log` are read in place, from the end: the cost is constant but for the way back to the
 * newest `api_req_started`. Any other iterable is read whole. A client that follows a task event by event
 * keeps a {@link StateTracker} instead (L17).
 *
 * @example
 * ```ts
 * import { detectAgentState } from "signalbox/machines";
 * const info = detectAgentState([{ ts: 1, type: "ask", ask: "tool", text: "{}" }]);
 * console.log(info.state, info.requiredAction); // waiting_for_input approve
 * ```
 */
export function detectAgentState(messages: Messages): AgentStateInfo {
  const rows = toSequence(messages);
  return stateInfo(rows.at(-1), () => {
    const request = newestRequest(rows);
    return request !== undefined && isRequestOpen(request);
  });
}

/**
 * The rules R0-R4 over the two things that they look at: the last message, and whether the newest request is
 * open, which is asked only where R3 is reached.
 */
export function stateInfo(
  last: ClineMessage | null | undefined,
  isNewestRequestOpen: () => boolean,
): AgentStateInfo {
  if (last === undefined || last === null) return NO_TASK;
  if (last.partial === true) return withAsk(seen(STREAMING, last), last.ask);
  if (last.type === "ask" && isAskType(last.ask)) {
    const { category, action } = ASKS[last.ask];
    return withAsk(seen(OF_CATEGORY[category], last, action), last.ask);
  }
  return seen(isNewestRequestOpen() ? STREAMING : RUNNING, last);
}

type Bare = Pick<
  AgentStateInfo,
  "state" | "isWaitingForInput" | "isRunning" | "isStreaming" | "requiredAction" | "description"
>;

const bare = (
  state: AgentLoopState,
  is: "waiting" | "running" | "streaming" | "absent",
  requiredAction: RequiredAction,
  description: string,
): Bare => ({
  state,
  isWaitingForInput: is === "waiting",
  isRunning: is === "running" || is === "streaming",
  isStreaming: is === "streaming",
  requiredAction,
  description,
});

/** Field by field, without a spread: this is made for every piece of a stream (L17). */
const seen = (of: Bare, last: ClineMessage, requiredAction = of.requiredAction): AgentStateInfo => ({
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

const NO_TASK = bare("no_task", "absent", "start_new_task", "There is no task.");
const STREAMING = bare("streaming", "streaming", "none", "The model's response is streaming.");
const RUNNING = bare("running", "running", "none", "The agent is running.");
const OF_CATEGORY: Readonly<Record<AskCategory, Bare>> = {
  interactive: bare("waiting_for_input", "waiting", "none", "The agent waits for an answer."),
  idle: bare("idle", "waiting", "none", "The task is at rest."),
  resumable: bare("resumable", "waiting", "none", "The task was interrupted and can be resumed."),
  nonBlocking: bare(
    "running",
    "running",
    "none",
    "A command is running. Continue without waiting for it, or abort it.",
  ),
};
