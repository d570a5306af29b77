import { isDeepStrictEqual } from "node:util";
import type { SessionConfigOption, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { selectedModel } from "../../machines/task/profile.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskCommit } from "../../runtime/task/task-view.ts";
import type { Modes } from "../../tools/modes/modes.ts";
import { configOptions } from "./config-options.ts";

/** The updates about what commits change besides messages: usage, and what the client has chosen. */
export class FactUpdates {
  readonly #task: Task;
  readonly #modes: Modes;
  /** The mode and the options that the client has. */
  #mode: string;
  #options: SessionConfigOption[];

  constructor(task: Task, modes: Modes) {
    this.#task = task;
    this.#modes = modes;
    this.#mode = task.snapshot.context.mode;
    this.#options = configOptions(task, modes);
  }

  /** The updates of a commit. */
  commit({ commit: { facts = {} } }: TaskCommit): readonly SessionUpdate[] {
    const { mode, profile, permissions, total } = facts;
    const isChosen = mode !== undefined || profile !== undefined || permissions !== undefined;
    return [
      ...(total === undefined ? [] : usageUpdate(this.#task)),
      ...(mode === undefined ? [] : this.#modeUpdate(mode)),
      ...(isChosen ? this.#chosen() : []),
    ];
  }

  #modeUpdate(mode: string): readonly SessionUpdate[] {
    if (mode === this.#mode) return [];
    this.#mode = mode;
    return [{ sessionUpdate: "current_mode_update", currentModeId: mode }];
  }

  #chosen(): readonly SessionUpdate[] {
    const options = configOptions(this.#task, this.#modes);
    if (isDeepStrictEqual(options, this.#options)) return [];
    this.#options = options;
    return [{ sessionUpdate: "config_option_update", configOptions: options }];
  }
}

/** The size of the conversation in the context window, and the cost in US dollars. None without a known window. */
export function usageUpdate({ snapshot: { context } }: Task): readonly SessionUpdate[] {
  const { total, contextTokens: used } = context;
  const size = selectedModel(context)?.contextWindow;
  if (size === undefined) return [];
  const cost = total.cost === null ? undefined : { amount: total.cost, currency: "USD" };
  return [{ sessionUpdate: "usage_update", used, size, ...(cost !== undefined && { cost }) }];
}
