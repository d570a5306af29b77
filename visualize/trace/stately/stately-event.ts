import type { Snapshot } from "xstate";

/** The fields of every event of Stately's inspector. */
interface Base {
  readonly rootId: string;
  /** The actor's id. */
  readonly sessionId: string;
  /** Milliseconds since 1970, as text. */
  readonly createdAt: string;
  readonly id: string;
  /** The version of `@statelyai/inspect`. */
  readonly _version: string;
}

/** An actor's snapshot, in brief. */
export type StatelySnapshot = Snapshot<unknown> & { readonly value?: unknown; readonly context?: unknown };

export interface BriefEvent {
  readonly type: string;
  readonly [name: string]: unknown;
}

/** An event for Stately's inspector, as `@statelyai/inspect` 0.7 sends it: a new actor, an event, or a snapshot. */
export type StatelyEvent =
  | (Base & {
      readonly type: "@xstate.actor";
      readonly name: string;
      /** The machine's config as JSON. */
      readonly definition: string;
      readonly parentId: string | undefined;
      readonly snapshot: StatelySnapshot;
    })
  | (Base & {
      readonly type: "@xstate.event";
      readonly event: BriefEvent;
      readonly sourceId: string | undefined;
    })
  | (Base & {
      readonly type: "@xstate.snapshot";
      readonly event: BriefEvent;
      readonly snapshot: StatelySnapshot;
    });
