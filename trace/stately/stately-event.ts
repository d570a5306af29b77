import type { Snapshot } from "xstate";

/** What every event of Stately's inspector has. */
interface Base {
  readonly rootId: string;
  /** The actor that it is about. */
  readonly sessionId: string;
  /** Milliseconds since 1970, as text. */
  readonly createdAt: string;
  readonly id: string;
  /** The version of `@statelyai/inspect` whose form this is. */
  readonly _version: string;
}

/** What is told of an actor's snapshot. */
export type StatelySnapshot = Snapshot<unknown> & { readonly value?: unknown; readonly context?: unknown };

interface Fact {
  readonly type: string;
  readonly [name: string]: unknown;
}

/** An event as `@statelyai/inspect` 0.7 sends it to an inspector: an actor is there, it gets an event, it has a snapshot. */
export type StatelyEvent =
  | (Base & {
      readonly type: "@xstate.actor";
      readonly name: string;
      /** The machine's config as JSON. */
      readonly definition: string;
      readonly parentId: string | undefined;
      readonly snapshot: StatelySnapshot;
    })
  | (Base & { readonly type: "@xstate.event"; readonly event: Fact; readonly sourceId: string | undefined })
  | (Base & { readonly type: "@xstate.snapshot"; readonly event: Fact; readonly snapshot: StatelySnapshot });
