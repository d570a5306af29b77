/** A reported failure of another agent runtime. */
interface FieldFailure {
  /** The failure, and its repository and thread number. */
  readonly what: string;
  /** The laws that rule it out here. */
  readonly laws: string;
}

/** The failures in the order of their numbers, from 1. The title of each test of a failure has its number. */
export const FIELD_FAILURES: readonly FieldFailure[] = [
  { what: "A queued message approves the pending command. Roo-Code 9720, 6996", laws: "L7" },
  { what: "Two approvals in one step block each other for ever. vercel/ai 19302", laws: "L8" },
  { what: "A declined tool call runs; after a resume the policy is lost. mastra 20487", laws: "L7" },
  {
    what: "An approval after a restart throws, or needs the process that asked. mastra 19301",
    laws: "L7, L11",
  },
  {
    what: "A subtask's ask is never shown, and a stop has no effect. opencode 44747, 13715, 36868",
    laws: "L10, L16",
  },
  {
    what: "Parallel interrupts share an id: an answer resumes the wrong one, and a step runs twice. langgraph 6626, 6208",
    laws: "L7, L8",
  },
  {
    what: "An approved tool call runs, then the run fails: approval and result are lost. agent-framework 7458",
    laws: "L11, L12",
  },
  { what: "An approval is not bound to the exact call. openai-agents-python 4827", laws: "L6, L7" },
  {
    what: "After a second approval the first result is sent again, and the API returns 400. openai-agents-js 1435",
    laws: "L6",
  },
  {
    what: "An abort leaves a call without a result, and the API rejects every later request. openai-agents-js 1190, pi 9306, Roo-Code 10465",
    laws: "L6, L10",
  },
  { what: "Stopping the parent does not stop its subtasks. claude-code 82104", laws: "L10, L16" },
  {
    what: "Subtasks start subtasks without a limit, and no budget covers the tree. claude-code 69578",
    laws: "L14, BUDGET",
  },
  { what: "After an abort the next result gets the wrong parent. pi 8525", laws: "L6, L12" },
  {
    what: "Turns of two subtasks are mixed in one log, which can't be resumed. copilot-cli 2323",
    laws: "L11, L16",
  },
  {
    what: "An interrupted compaction leaves tool calls without results. openclaw 93320",
    laws: "L6, COMPACT",
  },
  {
    what: "Compaction does not shrink the conversation and repeats without end. opencode 15533",
    laws: "COMPACT",
  },
  {
    what: "A tool call that is decided late races the response. claude-agent-sdk-typescript 362",
    laws: "L4, L7",
  },
  { what: "After a resume a pending subtask is started hundreds of times. Zoo-Code 1714", laws: "L12, L16" },
  { what: "A second stop during the first makes the task impossible to resume. Zoo-Code 1676", laws: "L10" },
  { what: "A cancel waits a minute for an endpoint that does not respond. Roo-Code 9435", laws: "L10" },
  { what: "A failed request is retried without delay or limit. Roo-Code 8901", laws: "L14" },
  { what: "A resumed stream ends without an event or an error. vercel/ai 18458", laws: "L2" },
  { what: "A resume drops one of several parallel tool calls. claude-code 37672", laws: "L6, L12" },
  { what: "Session permissions are lost in a restart, or outlive it. opencode 2264", laws: "L11" },
  { what: "An answer to an unknown or closed ask is accepted. opencode 15386", laws: "L8" },
  { what: "A resume runs completed commands again. cline 12975", laws: "L12" },
  {
    what: "A stream that is cut before its end counts as a complete response. Measured in LangGraph.js, Cline, OpenAI Agents",
    laws: "L4",
  },
  {
    what: "A tool runs on arguments that were cut at the output limit. Measured in LangGraph.js, pi 0.73, Cline",
    laws: "L7",
  },
  {
    what: "An abort loses a message that the user typed while the task worked. bobbit 477",
    laws: "QUEUE, L11",
  },
  {
    what: "A task that waits for an approval counts as idle and is closed. Codewhale 6118",
    laws: "L1, PASSIVE",
  },
  { what: "A monitor's reason for a denial teaches the model to pass it. arXiv 2605.26047", laws: "CONTROL" },
  {
    what: "A broken MCP stream issues a call again that is not idempotent. MCP 2026-07-28, transport rules",
    laws: "L12",
  },
];
