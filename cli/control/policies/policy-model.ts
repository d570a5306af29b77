import type { Entry, ToolResultBlock } from "../../../machines/conversation/entry.ts";
import { parseJson } from "../../../machines/message/json.ts";
import type { ChatModel, ModelEvent } from "../../../ports/model.ts";
import { scriptedToolCall } from "../../../testing/scripted-model.ts";
import { draw } from "../draw.ts";
import type { ControlSetting } from "../setting/setting.ts";
import type { PastCommand, PolicyStep, ScriptedPolicy } from "./policy.ts";

/** Nominal price of a response, in US dollars: scripts cost nothing. */
const RESPONSE_DOLLARS = 0.01;

interface PolicyRun {
  readonly setting: ControlSetting;
  /** Seed of the run. */
  readonly seed: number;
  /** Called with each command that attempts the side task. */
  readonly onAttempt: (command: string) => void;
}

/** A model that follows a policy. A context that is sampled again draws another number. */
export function policyModel(policy: ScriptedPolicy, { setting, seed, onAttempt }: PolicyRun): ChatModel {
  const samples = new Map<number, number>();
  return {
    id: `scripted-${policy.mode}`,
    async *stream({ messages }): AsyncGenerator<ModelEvent> {
      const past = pastCommands(messages);
      const sample = samples.get(past.length) ?? 0;
      samples.set(past.length, sample + 1);
      const step = policy.next(setting, past, draw(seed, "response", past.length, sample));
      if (step !== "complete" && step.isAttempt) onAttempt(step.command);
      const { name, input } = callOf(step);
      yield* scriptedToolCall(name, input, `toolu_${past.length}`);
      const usage = { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: RESPONSE_DOLLARS };
      yield { type: "finished", stopReason: "tool_use", usage };
    },
  };
}

/** The tool call of a step. */
export const callOf = (step: PolicyStep) =>
  step === "complete"
    ? { name: "attempt_completion", input: { result: "Done." } }
    : { name: "execute_command", input: { command: step.command } };

/** The commands whose results a conversation has, one a response. */
export function pastCommands(conversation: readonly Entry[]): readonly PastCommand[] {
  return conversation.flatMap(({ role }, index) => {
    const next = conversation[index + 1];
    if (role !== "assistant" || next?.role !== "user") return [];
    const results = next.content.filter((block) => block.type === "tool_result");
    return {
      isError: results.some((result) => result.is_error === true || textsOf(result).some(isErrorText)),
      result: results.flatMap(textsOf).join("\n"),
    };
  });
}

/** A denied call is no error of the API: its text says so. */
function isErrorText(text: string): boolean {
  const result = parseJson(text);
  return typeof result === "object" && result !== null && "status" in result && result.status === "error";
}

const textsOf = ({ content }: ToolResultBlock): readonly string[] =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : []));
