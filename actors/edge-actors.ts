import {
  type ActorInputs,
  actorsOfKinds,
  type EdgeActors,
  type EdgeLogic,
} from "../machines/task/task.setup.ts";
import { assertHooks } from "../tools/hook-list.ts";
import { askActor } from "./ask/ask.ts";
import { checkpointActor } from "./checkpoint.ts";
import { contextActor } from "./context/context.ts";
import type { EdgeOptions, TaskEnvironment } from "./environment.ts";
import { hookActor } from "./hooks/hook-actor.ts";
import { condenseActor } from "./llm/condense-actor.ts";
import { llmActor } from "./llm/llm-actor.ts";
import { openingActor } from "./opening.ts";
import type { Edge } from "./protocol/edge.ts";
import { RequestHeads } from "./request-head.ts";
import { reviewActor } from "./review/review.ts";
import { subtaskActor } from "./subtask/subtask.ts";
import { timerActor } from "./timer.ts";
import { toolActor } from "./tool/tool.ts";
import { registryOf } from "./toolset.ts";

/** Creates the logic of an edge actor, each time it is started. */
export type EdgeActorCreators = { readonly [K in keyof ActorInputs]: () => EdgeLogic<K> };

const allOf = (creators: EdgeActorCreators): EdgeActors => actorsOfKinds((kind) => creators[kind]());

/** Edge of actors that only read: their results have no effect before the machine decides. */
const startNow: Edge["release"] = (start) => start();

/**
 * Creates the standard edge actors of one task when they start, so that a task at rest holds only the actor of its ask.
 * @throws ToolError if two tools have the same name; `HOOK_INVALID`
 */
export class EdgeActorFactory implements EdgeActorCreators {
  readonly #edge: Edge;
  readonly #environment: TaskEnvironment;
  /** It remembers what it has reported. */
  #checkpoint: EdgeLogic<"checkpoint"> | undefined;

  constructor(edge: Edge, options: EdgeOptions) {
    registryOf(options.tools);
    if (options.hooks !== undefined) assertHooks(options.hooks.list);
    this.#edge = edge;
    this.#environment = environmentOf(options);
  }

  opening(): EdgeLogic<"opening"> {
    return openingActor(this.#edge);
  }

  context(): EdgeLogic<"context"> {
    return contextActor(this.#readingEdge, this.#environment);
  }

  condense(): EdgeLogic<"condense"> {
    return condenseActor(this.#edge, this.#environment);
  }

  llm(): EdgeLogic<"llm"> {
    return llmActor(this.#edge, this.#environment);
  }

  review(): EdgeLogic<"review"> {
    // Policies over time judge earlier events once they are durable.
    const edge = this.#environment.judgeStart === undefined ? this.#readingEdge : this.#edge;
    return reviewActor(edge, this.#environment);
  }

  tool(): EdgeLogic<"tool"> {
    return toolActor(this.#edge, this.#environment);
  }

  ask(): EdgeLogic<"ask"> {
    return askActor(this.#edge, this.#environment);
  }

  timer(): EdgeLogic<"timer"> {
    return timerActor(this.#edge);
  }

  checkpoint(): EdgeLogic<"checkpoint"> {
    this.#checkpoint ??= checkpointActor(this.#edge, this.#environment);
    return this.#checkpoint;
  }

  subtask(): EdgeLogic<"subtask"> {
    return subtaskActor(this.#edge, this.#environment);
  }

  hook(): EdgeLogic<"hook"> {
    return hookActor(this.#edge, this.#environment);
  }

  /** The standard actors, each for all its starts. */
  all(): EdgeActors {
    return allOf(this);
  }

  get #readingEdge(): Edge {
    return { ...this.#edge, release: startNow };
  }
}

/** Each role of an owner is a member of its own. The owners are not members. */
function environmentOf(options: EdgeOptions): TaskEnvironment {
  const { calls, versions, ...others } = options;
  const environment: TaskEnvironment = {
    ...others,
    head: (mode, intent) => heads.read(mode, intent),
    reports: calls,
    outcomes: calls,
    stopped: calls,
    fileAccess: versions,
    fileChanges: versions,
  };
  const heads = new RequestHeads(environment);
  return environment;
}

/**
 * The standard edge actors of one task, for `taskMachine.provide`.
 *
 * @example
 * ```ts
 * import { edgeActors, immediateEdge } from "signalbox/actors";
 * import { taskMachine } from "signalbox/machines";
 * const machine = taskMachine.provide({ actors: edgeActors(immediateEdge, options) });
 * ```
 * @throws ToolError if two tools have the same name
 */
export function edgeActors(edge: Edge, options: EdgeOptions): EdgeActors {
  return new EdgeActorFactory(edge, options).all();
}
