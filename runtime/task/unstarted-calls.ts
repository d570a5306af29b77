import type { Arguments, Input, RecordedCall, ToolCall } from "../../machines/tool-call/call.ts";

/** The calls of a task's turn, as they are after a commit. */
export interface TurnCalls {
  readonly context: { readonly turn: { readonly calls: readonly ToolCall[] } };
}

/** A tool and the arguments of one call. */
interface NamedInput {
  readonly name: string;
  readonly input: Input;
}

/** The calls of one task's turn that ended without a start: denied, rejected, skipped and interrupted ones. */
export class UnstartedCalls {
  /** The calls before the next commit: a settled one has no arguments. */
  #earlier: readonly ToolCall[];
  readonly #ended = new Map<string, NamedInput>();

  constructor({ context: { turn } }: TurnCalls) {
    this.#earlier = turn.calls;
  }

  /** Read the calls that a commit settles. */
  apply(settled: readonly Pick<RecordedCall, "callId" | "phase">[], { context: { turn } }: TurnCalls): void {
    if (this.#earlier.length === 0) this.#ended.clear();
    // The call of a subtask in the background is delegated and settled at once.
    const started = new Set(settled.flatMap(({ callId, phase }) => (phase === "delegated" ? [callId] : [])));
    for (const { callId, phase } of settled) {
      const call = phase === "settled" && this.#earlier.find((earlier) => earlier.callId === callId);
      if (call && isUnstarted(call) && !started.has(callId))
        this.#ended.set(callId, { name: call.name, input: { ...call.input, ...call.amendment } });
    }
    this.#earlier = turn.calls;
  }

  /** The tool and the arguments of a call. Undefined: it has started, or its arguments were not complete. */
  find(callId: string | undefined): NamedInput | undefined {
    return callId === undefined ? undefined : this.#ended.get(callId);
  }
}

type Unstarted = Exclude<Extract<ToolCall, Arguments>, { readonly phase: "running" | "delegated" }>;

const isUnstarted = (call: ToolCall): call is Unstarted =>
  "input" in call && call.phase !== "running" && call.phase !== "delegated";
