import type { AssistantBlock } from "../../machines/conversation/entry.ts";
import type { Answer } from "../../machines/message/asks.ts";
import { hookEnd } from "../../machines/task/hook-points.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { ActorInputs } from "../../machines/task/task.setup.ts";
import type { Review, SubtaskOutcome } from "../../machines/tool-call/call.ts";
import type { SimulatedFaults } from "./faults.ts";
import { type SimulatedPolicy, verdictOf } from "./policy.ts";
import type { Random } from "./random.ts";
import { SIMULATED_TOOLS, type SimulatedScript, type SimulatedTurn, turnFor } from "./script.ts";

/** An event of an actor without its time. */
export type Untimed = TaskEvent extends infer E ? (E extends unknown ? Omit<E, "at"> : never) : never;

/** An event and its delay after the previous one, in milliseconds. */
export interface ScheduledEvent {
  readonly afterMs: number;
  readonly event: Untimed;
}

/** The events of a simulated actor of each kind, given its input. */
export type SimulatedActors = {
  readonly [K in keyof ActorInputs]: (input: ActorInputs[K], now: number) => readonly ScheduledEvent[];
};

const USAGE = { tokensIn: 100, tokensOut: 20, cacheWrites: 0, cacheReads: 0, cost: 0.01 };
const FAILURES = [
  { code: "overloaded_error", message: "Overloaded", retryable: true, status: 529 },
  { code: "rate_limit_error", message: "Slow down", retryable: true, status: 429, retryAfterMs: 3_000 },
  { code: "rate_limit_error", message: "Much slower", retryable: true, status: 429, retryAfterMs: 900_000 },
  { code: "connection_error", message: "The connection broke.", retryable: true },
  { code: "invalid_request_error", message: "No such model", retryable: false, status: 400 },
] as const;
const CHILD_ENDS: readonly SubtaskOutcome[] = [
  { kind: "finished", result: "it is done" },
  { kind: "cancelled" },
  { kind: "failed", message: "it broke" },
];

/** Create simulated actors. The events of an actor are chosen when it starts. */
export function createActors(
  random: Random,
  faults: SimulatedFaults,
  policy: SimulatedPolicy,
  script: SimulatedScript,
): SimulatedActors {
  const delayMs = (maxMs: number): number => 1 + random.below(maxMs);
  const schedule = (event: Untimed, maxMs = 50): ScheduledEvent => ({ afterMs: delayMs(maxMs), event });
  return {
    opening: () => [schedule({ type: "task.opened" })],
    context: ({ requestId, stopped }) => [
      random.chance(faults.contextFails)
        ? schedule({ type: "context.failed", requestId, message: "no context" })
        : schedule({
            type: "context.ready",
            requestId,
            environment: "<environment/>",
            ends: stopped.map((callId) => ({
              callId,
              content: random.chance(0.5) ? "uncertain" : [{ type: "text", text: "it ended late" }],
            })),
          }),
    ],
    condense: ({ requestId, estimated }) => {
      if (estimated !== undefined && random.chance(0.2))
        return [
          schedule({ type: "condense.unneeded", requestId, tokens: random.below(estimated.threshold) }),
        ];
      return [
        schedule({ type: "condense.started", requestId }),
        random.chance(faults.requestFails)
          ? schedule({
              type: "condense.failed",
              requestId,
              failure: random.pick(FAILURES) ?? FAILURES[0],
              usage: USAGE,
              jitter: random.next(),
            })
          : schedule({
              type: "condense.finished",
              requestId,
              summary: random.chance(0.9) ? "done" : "",
              usage: USAGE,
            }),
      ];
    },
    llm: ({ requestId, history }) => respond(requestId, turnFor(script, history)),
    review: ({ callId, name, input, permissions: { revision } }) => [
      schedule({ type: "call.reviewed", callId, review: reviewOf(name, input, revision) }),
    ],
    tool: ({ callId, name }) => runTool(callId, name),
    ask: (input) => answerAsk(input),
    timer: ({ timerId, deadline }, now) => [
      { afterMs: deadline - now, event: { type: "timer.fired", timerId } },
    ],
    checkpoint: ({ callId }) => [
      random.chance(faults.toolFails)
        ? schedule({ type: "checkpoint.skipped", callId, reason: "the workspace is too large" })
        : schedule({ type: "checkpoint.saved", callId, hash: `h${random.below(1_000)}` }),
    ],
    subtask: ({ callId }) => {
      const end =
        (random.chance(faults.toolFails * 2) ? random.pick(CHILD_ENDS) : undefined) ?? CHILD_ENDS[0];
      return end === undefined ? [] : [schedule({ type: "subtask.ended", callId, end }, 20_000)];
    },
    hook: (input) => [
      schedule(
        hookEnd(
          input,
          random.chance(faults.toolFails)
            ? { kind: "deny", hook: "simulated", reason: "it is denied" }
            : { kind: "allow" },
        ),
      ),
    ],
  };

  function respond(requestId: number, turn: SimulatedTurn): readonly ScheduledEvent[] {
    const failure = random.pick(FAILURES) ?? FAILURES[0];
    const fails = (): ScheduledEvent =>
      schedule({ type: "llm.failed", requestId, failure, usage: USAGE, jitter: random.next() }, 500);
    if (random.chance(faults.requestFails)) return [fails()];
    const { content, events } = streamOf(requestId, turn);
    if (random.chance(faults.streamCut)) {
      const cut = { code: "stream_cut", message: "The stream was cut.", retryable: true };
      const last = schedule({
        type: "llm.failed",
        requestId,
        failure: cut,
        usage: USAGE,
        jitter: random.next(),
      });
      return [...events.slice(0, random.below(events.length + 1)), last];
    }
    const stopReason = turn.stop ?? ((turn.calls ?? []).length > 0 ? "tool_use" : "end_turn");
    return [...events, schedule({ type: "llm.finished", requestId, stopReason, content, usage: USAGE })];
  }

  function streamOf(requestId: number, { thinking, text = "", calls = [], stop }: SimulatedTurn) {
    const content: AssistantBlock[] = [];
    const events: ScheduledEvent[] = [];
    if (thinking !== undefined) {
      const index = content.push({ type: "thinking", thinking, signature: "s" }) - 1;
      events.push(schedule({ type: "llm.thinking.delta", requestId, index, text: thinking }));
      events.push(schedule({ type: "llm.thinking.end", requestId, index }));
    }
    if (text !== "") {
      const index = content.push({ type: "text", text }) - 1;
      const cut = random.below(text.length);
      for (const part of [text.slice(0, cut), text.slice(cut)].filter((part) => part !== ""))
        events.push(schedule({ type: "llm.text.delta", requestId, index, text: part }));
      events.push(schedule({ type: "llm.text.end", requestId, index }));
    }
    calls.forEach(({ tool, input = {}, isValid = true }, position) => {
      const toolUseId = `toolu_${position}`;
      const callId = `${requestId}/${toolUseId}`;
      const actualInput = isValid ? input : { ...input, bad: true };
      const index = content.push({ type: "tool_use", id: toolUseId, name: tool, input: actualInput }) - 1;
      const ask = toolNamed(tool)?.ask ?? "tool";
      events.push(schedule({ type: "llm.tool.start", requestId, index, callId, toolUseId, name: tool, ask }));
      if (random.chance(0.5))
        events.push(schedule({ type: "llm.tool.delta", requestId, callId, preview: `{"tool":"${tool}"}` }));
      const isCut = stop === "max_tokens" && position === calls.length - 1;
      events.push(
        isCut
          ? schedule({ type: "llm.tool.broken", requestId, callId, error: "the output limit cut it" })
          : schedule({ type: "llm.tool.end", requestId, callId, input: actualInput }),
      );
    });
    if (random.chance(0.3)) events.push(schedule({ type: "llm.usage", requestId, usage: USAGE }));
    return { content, events };
  }

  function reviewOf(name: string, input: ActorInputs["review"]["input"], revision: number): Review {
    const tool = toolNamed(name);
    if (tool === undefined) return { valid: false, error: `There is no tool ${name}.` };
    if ("bad" in input) return { valid: false, error: "bad: expected no such argument." };
    const { effect, replayable } = tool;
    const verdict = effect === "asks" ? ({ kind: "ask" } as const) : verdictOf(policy, tool, input);
    const digest = `${name} ${JSON.stringify(input)}`;
    return { valid: true, digest, revision, effect, replayable, text: `{"tool":"${name}"}`, verdict };
  }

  function runTool(callId: string, name: string): readonly ScheduledEvent[] {
    const isCommand = toolNamed(name)?.group === "command";
    const output = Array.from({ length: isCommand ? random.below(3) : 0 }, () =>
      schedule({ type: "tool.output", callId, text: ".\n" }, 2_000),
    );
    if (random.chance(faults.toolHangs)) return output;
    const command = isCommand ? { command: { output: ".\n", exitCode: random.below(2) } } : {};
    const end: Untimed = random.chance(faults.toolFails)
      ? { type: "tool.failed", callId, error: "no such file", ...command }
      : { type: "tool.finished", callId, content: [{ type: "text", text: "ok" }], ...command };
    return [...output, schedule(end, 3_000)];
  }

  /** A user who answers after a delay, and sometimes clicks twice. */
  function answerAsk({ askId, ask, accepts }: ActorInputs["ask"]): readonly ScheduledEvent[] {
    // Most commands end before the user answers.
    if (ask === "command_output" && random.chance(0.6)) return [];
    const kind = kindOf(ask, accepts);
    if (kind === undefined) return [];
    const answer: Answer =
      kind === "text"
        ? { kind, text: "Do it differently." }
        : { kind, ...(random.chance(0.15) && { text: "And mind the tests." }) };
    const expires = random.chance(0.05);
    const event: Untimed = expires
      ? { type: "ask.expired", askId, answer, rule: "deadline" }
      : { type: "ask.answered", askId, answer };
    const answered = schedule(event, 30_000);
    return random.chance(faults.late * 0.2) ? [answered, schedule(event, 20)] : [answered];
  }

  function kindOf(ask: ActorInputs["ask"]["ask"], accepts: readonly Answer["kind"][]) {
    const settles = ask === "completion_result" || ask === "resume_completed_task";
    const yes = accepts.includes("yes");
    if (settles && !yes && random.chance(0.9)) return undefined;
    if (yes && random.chance(settles ? 0.85 : 0.75)) return "yes";
    return random.pick(accepts);
  }
}

const toolNamed = (name: string) => SIMULATED_TOOLS.find((one) => one.name === name);
