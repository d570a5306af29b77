import { HookError } from "../../actors/hooks/hook-error.ts";
import { runHook } from "../../actors/hooks/run-hook.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Hook, RestHookInput } from "../../tools/hook.ts";
import { endOf } from "../task/task-end.ts";
import type { TaskCommit } from "../task/task-view.ts";

export interface RestHookOptions {
  readonly taskId: string;
  readonly workspace: string;
  readonly dataDir: string;
  /** The hooks of `onRest`. */
  readonly hooks: readonly Hook[];
  readonly clock: Clock;
  readonly onError: (error: unknown, taskId: string) => void;
}

/**
 * Runs the hooks of `onRest` one after the other when a task settles, outside of its machine: they decide nothing. A task
 * that settles again before they have ended has its newest rest only next.
 */
export class RestHooks {
  readonly #options: RestHookOptions;
  #next: RestHookInput | undefined;
  #running: Promise<void> | undefined;

  constructor(options: RestHookOptions) {
    this.#options = options;
  }

  /** Run the hooks if the task settled with this commit. One that is opened again was at rest before. */
  see({ commit, snapshot, durable }: TaskCommit): void {
    const settles = commit.reports.some(({ type }) => type === "task.rested");
    if (!settles || !durable || commit.cause?.type === "task.recovered") return;
    const { ask, result } = endOf(snapshot);
    this.#next = { point: "onRest", ask, ...(result !== undefined && { result }) };
    // Listeners of the commit come first.
    this.#running ??= Promise.resolve()
      .then(() => this.#runAll())
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Resolves when no hook runs. */
  ended(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  async #runAll(): Promise<void> {
    for (let rest = this.#next; rest !== undefined; rest = this.#next) {
      this.#next = undefined;
      for (const hook of this.#options.hooks) await this.#run(hook, rest);
    }
  }

  async #run(hook: Hook, rest: RestHookInput): Promise<void> {
    const { taskId, workspace, dataDir, clock, onError } = this.#options;
    try {
      const { kind } = await runHook(hook, { taskId, workspace, ...rest }, { clock, dataDir, signal: NEVER });
      if (kind !== "allow") throw new Error(`expected no decision at onRest, received ${kind}.`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      onError(new HookError(`The hook "${hook.name}" at onRest failed: ${reason}`, error), taskId);
    }
  }
}

/** Nothing stops a hook at rest but its time limit. */
const NEVER = new AbortController().signal;
