import type { InspectionEvent } from "xstate";
import { z } from "zod";
import { systemClock } from "../../actors/index.ts";
import { taskMachine } from "../../machines/task/index.ts";
import type { Task } from "../../runtime/index.ts";
import { compactCause } from "../../store/index.ts";
import type { StatelyEvent, StatelySnapshot } from "./stately-event.ts";

/** Of `@statelyai/inspect`. */
const VERSION = "0.7.2";

export interface TellStatelyOptions {
  /** The time, in milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Tells Stately's inspector what XState does with a task and its actors, from now on, in the form of
 * `@statelyai/inspect` 0.7. The function that it gives ends that. Each actor is made known before the first that is told
 * of it: the task with its machine, also when it has run for long.
 *
 * What is told is bounded, and no row, argument or answer is in it (L17): of events their types, ids, numbers and words of at
 * most 64 characters; of the task's context its counts and sums.
 *
 * @example
 * ```ts
 * import { createInspector } from "@statelyai/inspect";
 * import { createHost, memoryJournal } from "signalbox";
 * import { tellStately } from "signalbox/trace";
 * const host = createHost({ journal: () => memoryJournal() });
 * const task = await host.create({ model: { id: "none", async *stream() {} }, workspace: "." });
 * // Or createWebSocketInspector, createSkyInspector, createBrowserInspector.
 * const { adapter } = createInspector({ send: ({ type, sessionId }) => console.log(type, sessionId) });
 * const end = tellStately(task, (event) => adapter.send(event));
 * end();
 * await host.closeAll();
 * ```
 */
export function tellStately(
  task: Pick<Task, "inspect">,
  send: (event: StatelyEvent) => void,
  { now = systemClock.now }: TellStatelyOptions = {},
): () => void {
  const known = new WeakSet<object>();
  let told = 0;
  const base = (actor: Actor, rootId: string) => ({
    rootId,
    sessionId: actor.sessionId,
    createdAt: String(now()),
    id: String(told++),
    _version: VERSION,
  });
  const introduce = (actor: Actor, rootId: string, isNew = false): void => {
    if (known.has(actor)) return;
    known.add(actor);
    const isRoot = actor.sessionId === rootId;
    const name = isRoot ? taskMachine.id : nameOf(actor);
    send({
      ...base(actor, rootId),
      type: "@xstate.actor",
      name,
      definition: isRoot ? definition() : JSON.stringify({ id: name }),
      parentId: isRoot ? undefined : rootId,
      // One that is being made has none yet, and can't be asked.
      snapshot: isNew ? ACTIVE : briefly(actor.getSnapshot()),
    });
  };
  return task.inspect((seen) => {
    const { actorRef: actor, rootId } = seen;
    if (!TOLD.has(seen.type)) return;
    introduce(actor, rootId, seen.type === "@xstate.actor");
    if (seen.type === "@xstate.event") {
      if (seen.sourceRef !== undefined) introduce(seen.sourceRef, rootId);
      const sourceId = seen.sourceRef?.sessionId;
      send({ ...base(actor, rootId), type: seen.type, event: inShort(seen.event), sourceId });
    } else if (seen.type === "@xstate.snapshot") {
      const event = inShort(seen.event);
      send({ ...base(actor, rootId), type: seen.type, event, snapshot: briefly(seen.snapshot) });
    }
  });
}

const ACTIVE = { status: "active", output: undefined, error: undefined } as const;

type Actor = InspectionEvent["actorRef"];

const TOLD: ReadonlySet<string> = new Set(["@xstate.actor", "@xstate.event", "@xstate.snapshot"]);

const nameOf = (actor: Actor): string =>
  "id" in actor && typeof actor.id === "string" ? actor.id : actor.sessionId;

let written: string | undefined;

/** The machine as Stately's inspector draws it: always the same. */
function definition(): string {
  written ??= JSON.stringify(taskMachine.config, (_key, value: unknown) =>
    typeof value === "function" ? { type: value.name } : value,
  );
  return written;
}

function inShort(event: {
  readonly type: string;
}): Readonly<Record<string, unknown>> & { readonly type: string } {
  const { type } = event;
  // XState's own events carry whole inputs and outputs.
  if (type.startsWith("xstate.")) return { type };
  // What a tool is called with, and what a person answers, is text of the task.
  const own = Object.entries(compactCause(event)).filter(([, value]) => typeof value !== "object");
  return { ...Object.fromEntries(own), type };
}

/** Counts and sums of the task's context. */
const contextSchema = z
  .object({
    taskId: z.string(),
    mode: z.string(),
    log: z.object({ length: z.number() }),
    queue: z.array(z.unknown()),
    ask: z.object({ id: z.number(), ask: z.string() }).optional(),
    counters: z.record(z.string(), z.unknown()),
    total: z.record(z.string(), z.number()),
  })
  .transform(({ log, queue, ...rest }) => ({ ...rest, rows: log.length, queued: queue.length }));

const snapshotSchema = z.object({
  status: z.enum(["active", "done", "error", "stopped"]),
  value: z.unknown().optional(),
  context: z.unknown().optional(),
  error: z.unknown().optional(),
});

function briefly(snapshot: unknown): StatelySnapshot {
  const { status, value, context, error } = snapshotSchema.parse(snapshot);
  const brief = contextSchema.safeParse(context);
  const rest = {
    output: undefined,
    ...(value !== undefined && { value }),
    ...(brief.success && { context: brief.data }),
  };
  if (status !== "error") return { status, error: undefined, ...rest };
  return { status, error: error instanceof Error ? error.message : undefined, ...rest };
}
