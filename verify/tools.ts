import type { CallAsk, Effect } from "../machines/tool-call/call.ts";
import type { Bounds } from "./bounds.ts";

interface ToolKind {
  readonly name: string;
  readonly ask: CallAsk;
  readonly effect: Effect;
}

/**
 * One tool of each kind. The review of a call decides its kind among the tools of one ask: before it, all are called
 * `tool`.
 */
export const TOOLS: readonly ToolKind[] = [
  { name: "read", ask: "tool", effect: "reads" },
  { name: "write", ask: "tool", effect: "writes" },
  { name: "command", ask: "command", effect: "executes" },
  { name: "question", ask: "followup", effect: "asks" },
  { name: "complete", ask: "completion_result", effect: "asks" },
  { name: "delegate", ask: "tool", effect: "delegates" },
  { name: "background", ask: "tool", effect: "delegates" },
  { name: "await", ask: "tool", effect: "none" },
  { name: "stop", ask: "tool", effect: "none" },
  { name: "switch", ask: "tool", effect: "none" },
  { name: "select", ask: "tool", effect: "none" },
  { name: "wake", ask: "tool", effect: "none" },
  { name: "mcp", ask: "use_mcp_server", effect: "executes" },
];

/** Available tools of one ask, or of all. */
export const toolsOf = ({ tools }: Bounds, of?: CallAsk): readonly ToolKind[] =>
  TOOLS.filter(({ name, ask }) => tools.includes(name) && (of ?? ask) === ask);
