import type { InspectionEvent } from "xstate";
import * as z from "zod";
import { systemClock } from "../../../actors/protocol/edge.ts";
import { taskMachine } from "../../../machines/task/task.machine.ts";
import { compactCause } from "../../../wire/journal/cause.ts";
import type { BriefEvent, StatelyEvent, StatelySnapshot } from "./stately-event.ts";

/** The version of `@statelyai/inspect`. */
const VERSION = "0.7.2";

/** Options of {@link inspectForStately}. */
export interface StatelyOptions {
  /** The time, in milliseconds since 1970. */
  readonly now?: () => number;
}

/** A task whose actors can be inspected: a `Task`. */
export interface Inspectable {
  /** Observe XState's inspection events. The returned function unsubscribes. */
  inspect(observer: (event: InspectionEvent) => void): () => void;
}

/**
 * Send the inspection events of a task and its actors to Stately's inspector, in the form of `@statelyai/inspect` 0.7.
 *
 * Call the returned function to stop. Each actor is introduced before its first event: the task with its machine, also
 * if it has run before.
 *
 * Events are bounded and contain no message, argument or answer (L17): of events their types, ids, numbers and texts of
 * at most 64 characters; of the task's context its counts and sums.
 *
 * @example
 * ```ts
 * import { createInspector } from "@statelyai/inspect";
 * import { createHost, memoryJournal } from "signalbox";
 * import { inspectForStately } from "signalbox/trace";
 * const host = createHost({ journal: () => memoryJournal() });
 * const task = await host.create({ model: { id: "none", async *stream() {} }, workspace: "." });
 * // Or createWebSocketInspector, createSkyInspector, createBrowserInspector.
 * const { adapter } = createInspector({ send: ({ type, sessionId }) => console.log(type, sessionId) });
 * const stop = inspectForStately(task, (event) => adapter.send(event));
 * stop();
 * await host.closeAll();
 * ```
 */
export function inspectForStately(
  task: Inspectable,
  send: (event: StatelyEvent) => void,
  { now = systemClock.now }: StatelyOptions = {},
): () => void {
  const known = new WeakSet<object>();
  let count = 0;
  const base = (actor: Actor, rootId: string) => ({
    rootId,
    sessionId: actor.sessionId,
    createdAt: String(now()),
    id: String(count++),
    _version: VERSION,
  });
  const introduce = (actor: Actor, rootId: string, isNew = false): void => {
    if (known.has(actor)) return;
    known.add(actor);
    const isRoot = actor.sessionId === rootId;
    const name = isRoot ? taskMachine.id : actorName(actor);
    send({
      ...base(actor, rootId),
      type: "@xstate.actor",
      name,
      definition: isRoot ? machineDefinition() : JSON.stringify({ id: name }),
      parentId: isRoot ? undefined : rootId,
      // An actor that is being created has no snapshot yet.
      snapshot: isNew ? ACTIVE : briefSnapshot(actor.getSnapshot()),
    });
  };
  return task.inspect((inspected) => {
    const { actorRef: actor, rootId } = inspected;
    if (!SENT.has(inspected.type)) return;
    introduce(actor, rootId, inspected.type === "@xstate.actor");
    if (inspected.type === "@xstate.event") {
      if (inspected.sourceRef !== undefined) introduce(inspected.sourceRef, rootId);
      const sourceId = inspected.sourceRef?.sessionId;
      send({ ...base(actor, rootId), type: inspected.type, event: briefEvent(inspected.event), sourceId });
    } else if (inspected.type === "@xstate.snapshot") {
      const event = briefEvent(inspected.event);
      const snapshot = briefSnapshot(inspected.snapshot);
      send({ ...base(actor, rootId), type: inspected.type, event, snapshot });
    }
  });
}

const ACTIVE = { status: "active", output: undefined, error: undefined } as const;

type Actor = InspectionEvent["actorRef"];

const SENT: ReadonlySet<string> = new Set(["@xstate.actor", "@xstate.event", "@xstate.snapshot"]);

const actorName = (actor: Actor): string =>
  "id" in actor && typeof actor.id === "string" ? actor.id : actor.sessionId;

let definition: string | undefined;

/** The machine in the form that Stately's inspector draws. */
function machineDefinition(): string {
  definition ??= JSON.stringify(taskMachine.config, (_key, value: unknown) =>
    typeof value === "function" ? { type: value.name } : value,
  );
  return definition;
}

function briefEvent(event: { readonly type: string }): BriefEvent {
  const { type } = event;
  // XState's own events contain whole inputs and outputs.
  if (type.startsWith("xstate.")) return { type };
  // Tool arguments and answers are texts of the task.
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
  .transform(({ log, queue, ...rest }) => ({ ...rest, messages: log.length, queued: queue.length }));

const snapshotSchema = z.object({
  status: z.enum(["active", "done", "error", "stopped"]),
  value: z.unknown().optional(),
  context: z.unknown().optional(),
  error: z.unknown().optional(),
});

function briefSnapshot(snapshot: unknown): StatelySnapshot {
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
