import { addUsage, NO_USAGE } from "../../machines/task/request.ts";
import type { Usage } from "../../machines/task/task.events.ts";
import type { RecordedCall } from "../../machines/tool-call/call.ts";
import type { TaskSnapshot } from "../../runtime/task/task-view.ts";
import type { TokenUsage, ToolUsage } from "./events.ts";

/** A failed tool call. */
export interface Failed {
  readonly tool: string;
  readonly error: string;
}

/** Tracks the usage of a task: tokens from its snapshots, tools from its calls. */
export class UsageTracker {
  #total: Usage = NO_USAGE;
  #newest: Usage = NO_USAGE;
  #contextTokens = 0;
  #isOpen = false;
  readonly #tools = new Map<string, { attempts: number; failures: number }>();
  /** Attempted calls of the open turn. */
  readonly #attempted = new Set<string>();

  get tokens(): TokenUsage {
    const { tokensIn, tokensOut, cacheWrites, cacheReads, cost } = this.#isOpen
      ? addUsage(this.#total, this.#newest)
      : this.#total;
    return {
      totalTokensIn: tokensIn,
      totalTokensOut: tokensOut,
      totalCacheWrites: cacheWrites,
      totalCacheReads: cacheReads,
      totalCost: cost,
      contextTokens: this.#contextTokens,
    };
  }

  get tools(): ToolUsage {
    return Object.fromEntries([...this.#tools].map(([name, counts]) => [name, { ...counts }]));
  }

  /** Read a snapshot; returns whether the usage changed. */
  update({ context: { total, usage, request } }: TaskSnapshot): boolean {
    const isOpen = request !== undefined;
    if (total === this.#total && usage === this.#newest && isOpen === this.#isOpen) return false;
    const before = this.tokens;
    this.#total = total;
    this.#newest = usage;
    this.#isOpen = isOpen;
    const context = usage.tokensIn + usage.tokensOut + usage.cacheWrites + usage.cacheReads;
    // A request without usage has no context size yet.
    if (context > 0) this.#contextTokens = context;
    return !isSame(before, this.tokens);
  }

  /** Count each call once when its phase changes; returns the failed ones. */
  count(calls: readonly RecordedCall[], turnEnded: boolean): readonly Failed[] {
    if (turnEnded) this.#attempted.clear();
    return calls.flatMap((call) => {
      if (isAttempt(call) && isNew(this.#attempted, call.callId)) this.#countsOf(call.name).attempts += 1;
      const error = errorOf(call);
      if (error === undefined) return [];
      this.#countsOf(call.name).failures += 1;
      return [{ tool: call.name, error }];
    });
  }

  #countsOf(name: string): { attempts: number; failures: number } {
    const counts = this.#tools.get(name) ?? { attempts: 0, failures: 0 };
    this.#tools.set(name, counts);
    return counts;
  }
}

const isSame = (one: TokenUsage, other: TokenUsage): boolean => JSON.stringify(one) === JSON.stringify(other);

function isNew(known: Set<string>, callId: string): boolean {
  if (known.has(callId)) return false;
  known.add(callId);
  return true;
}

/** A call that was denied, skipped or interrupted before its start is no attempt. */
function isAttempt(call: RecordedCall): boolean {
  if (call.phase === "asking") return call.ask === "followup" || call.ask === "completion_result";
  if (call.phase !== "settled") return true;
  return call.outcome.kind === "done" || errorOf(call) !== undefined;
}

function errorOf(call: RecordedCall): string | undefined {
  if (call.phase !== "settled") return undefined;
  const { kind, content } = call.outcome;
  if (kind !== "failed" && kind !== "invalid") return undefined;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
