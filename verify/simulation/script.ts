import type { Conversation } from "../../machines/conversation/index.ts";
import type { CallAsk, Effect, Input } from "../../machines/tool-call/index.ts";
import type { Random } from "./random.ts";

/** A tool of a simulation, by what the machine and a policy know of one. */
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

/** One tool of each kind, under the names of the built-in ones. */
export const SIMULATED_TOOLS: readonly SimulatedTool[] = [
  tool("read_file", "read", "reads", "tool"),
  tool("write_to_file", "edit", "writes", "tool"),
  tool("execute_command", "command", "executes", "command"),
  tool("use_mcp_tool", "mcp", "executes", "use_mcp_server"),
  tool("new_task", "always", "delegates", "tool"),
  tool("ask_followup_question", "always", "asks", "followup"),
  tool("attempt_completion", "always", "asks", "completion_result"),
];

/** A call that the model makes. A tool that isn't there, or arguments that don't fit, are refused by the review. */
export interface SimulatedCall {
  readonly tool: string;
  readonly input?: Input;
  /** Default true. */
  readonly fits?: boolean;
}

/** One answer of the model. */
export interface SimulatedTurn {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly SimulatedCall[];
  /** Default: `tool_use` with calls, else `end_turn`. */
  readonly stop?: "max_tokens" | "pause_turn";
}

/** What the model says, turn by turn; after the last it completes the task. Chosen by the history alone. */
export type SimulatedScript = readonly SimulatedTurn[];

const WORDS = ["I will look.", "Now the tests.", "One moment.", "é and ü stay whole 🚦", ""];

/** A script of up to `turns` answers that call any of the tools. */
export function randomScript(random: Random, turns: number): SimulatedScript {
  return Array.from({ length: 1 + random.below(turns) }, () => randomTurn(random));
}

function randomTurn(random: Random): SimulatedTurn {
  const calls = Array.from({ length: random.pick([0, 1, 1, 1, 2, 3]) ?? 1 }, (): SimulatedCall => {
    const name = random.pick(SIMULATED_TOOLS.slice(0, -1))?.name ?? "read_file";
    if (random.chance(0.04)) return { tool: "no_such_tool" };
    return { tool: name, input: { path: `f${random.below(3)}` }, fits: !random.chance(0.05) };
  });
  const text = random.pick(WORDS) ?? "";
  const isBare = text === "" && calls.length === 0;
  const stop = random.chance(0.04) ? (calls.length > 0 ? "max_tokens" : "pause_turn") : undefined;
  return {
    ...(random.chance(0.2) && { thinking: "hm" }),
    text: isBare ? "Well." : text,
    calls,
    ...(stop !== undefined && { stop }),
  };
}

const COMPLETION: SimulatedTurn = {
  text: "It is done.",
  calls: [{ tool: "attempt_completion", input: { result: "Done." } }],
};

/** The turn that a request is for: by the number of answers in its history, as the mock server chooses. */
export function turnFor(script: SimulatedScript, history: Conversation): SimulatedTurn {
  const answers = history.toArray().filter(({ role }) => role === "assistant").length;
  return script[answers] ?? COMPLETION;
}
