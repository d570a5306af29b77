import type { Conversation } from "../../machines/conversation/conversation.ts";
import type { CallAsk, Effect, Input } from "../../machines/tool-call/call.ts";
import type { Random } from "./random.ts";

/** A tool of a simulation: what the machine and a policy need of it. */
export interface SimulatedTool {
  readonly name: string;
  readonly group: "read" | "edit" | "command" | "mcp" | "always" | "custom";
  readonly effect: Effect;
  readonly ask: CallAsk;
  readonly replayable: boolean;
}

const tool = (name: string, group: SimulatedTool["group"], effect: Effect, ask: CallAsk): SimulatedTool => ({
  name,
  group,
  effect,
  ask,
  replayable: effect === "reads",
});

/** One tool of each kind, named as the built-in tools. */
export const SIMULATED_TOOLS: readonly SimulatedTool[] = [
  tool("read_file", "read", "reads", "tool"),
  tool("write_to_file", "edit", "writes", "tool"),
  tool("execute_command", "command", "executes", "command"),
  tool("use_mcp_tool", "mcp", "executes", "use_mcp_server"),
  tool("new_task", "always", "delegates", "tool"),
  tool("ask_followup_question", "always", "asks", "followup"),
  tool("attempt_completion", "always", "asks", "completion_result"),
];

/** A tool call of the model. The review rejects unknown tools and invalid arguments. */
interface SimulatedCall {
  readonly tool: string;
  readonly input?: Input;
  /** Whether the arguments are valid. Default true. */
  readonly isValid?: boolean;
}

/** One response of the model. */
export interface SimulatedTurn {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly SimulatedCall[];
  /** Default: `tool_use` with calls, else `end_turn`. */
  readonly stop?: "max_tokens" | "pause_turn";
}

/** Responses of the model, by turn. After the last it completes the task. */
export type SimulatedScript = readonly SimulatedTurn[];

const TEXTS = ["I will look.", "Now the tests.", "One moment.", "é and ü stay whole 🚦", ""];

/** Create a script of 1 to `turns` responses that call any of the tools. */
export function randomScript(random: Random, turns: number): SimulatedScript {
  return Array.from({ length: 1 + random.below(turns) }, () => randomTurn(random));
}

function randomTurn(random: Random): SimulatedTurn {
  const calls = Array.from({ length: random.pick([0, 1, 1, 1, 2, 3]) ?? 1 }, (): SimulatedCall => {
    const name = random.pick(SIMULATED_TOOLS.slice(0, -1))?.name ?? "read_file";
    if (random.chance(0.04)) return { tool: "no_such_tool" };
    return { tool: name, input: { path: `f${random.below(3)}` }, isValid: !random.chance(0.05) };
  });
  const text = random.pick(TEXTS) ?? "";
  const isEmpty = text === "" && calls.length === 0;
  const stop = random.chance(0.04) ? (calls.length > 0 ? "max_tokens" : "pause_turn") : undefined;
  return {
    ...(random.chance(0.2) && { thinking: "hm" }),
    text: isEmpty ? "Well." : text,
    calls,
    ...(stop !== undefined && { stop }),
  };
}

const COMPLETION: SimulatedTurn = {
  text: "It is done.",
  calls: [{ tool: "attempt_completion", input: { result: "Done." } }],
};

/** The turn of a request: by the number of responses in its conversation, as in the mock server. */
export function turnFor(script: SimulatedScript, history: Conversation): SimulatedTurn {
  const responses = history.toArray().filter(({ role }) => role === "assistant").length;
  return script[responses] ?? COMPLETION;
}
