import { assign, type SnapshotFrom, setup } from "xstate";

/** A place in a journal that one owner knows: its epoch, and the number of bytes that it knows to be durable. */
export interface KnownEnd {
  readonly epoch: number;
  readonly length: number;
}

export interface ClaimContext {
  /** The end as this driver last knew it. Absent until it owned the journal for the first time. */
  readonly known?: KnownEnd;
  /** Bytes that the newest change added. */
  readonly writing: number;
}

export type ClaimEvent =
  /** A claim is sent. */
  | { readonly type: "claim.sent" }
  /** The database gave the journal to this driver, in a new epoch. */
  | { readonly type: "claimed"; readonly epoch: number; readonly length: number }
  /** Another worker that is alive owns it. */
  | { readonly type: "refused" }
  /** An append of so many bytes is sent, or a cut: less than 0. */
  | { readonly type: "append.sent"; readonly bytes: number }
  | { readonly type: "appended" }
  /** The database found another epoch or owner: this driver is stale. */
  | { readonly type: "fenced" }
  /** The journal has another length than its only owner knows. */
  | { readonly type: "changed" }
  /** A statement failed, or its answer was lost: the database may have executed it. */
  | { readonly type: "unanswered" }
  /** The worker's lease was lost. */
  | { readonly type: "lost" };

/**
 * The ownership of one journal by one driver. Each claim begins an epoch, and the database executes an append only in the
 * newest one (the fence). An append without an answer may have been executed, or may still be on its way, so the driver
 * claims the journal again: that ends the epoch of the append, and shows whether it was executed. A driver that claims a
 * journal again continues only if nobody owned it in between.
 */
export const claimMachine = setup({
  types: { context: {} as ClaimContext, events: {} as ClaimEvent },
  guards: {
    isUnknown: ({ context }) => context.known === undefined,
    isUnchanged: ({ context: { known }, event }) =>
      event.type === "claimed" && event.epoch - 1 === known?.epoch && event.length === known.length,
    /** Only this driver's last change can have led to this end. */
    isOwnChange: ({ context: { known, writing }, event }) =>
      event.type === "claimed" &&
      known !== undefined &&
      event.epoch - 1 === known.epoch &&
      event.length === known.length + writing,
  },
  actions: {
    noteEnd: assign({
      known: ({ context, event }) =>
        event.type === "claimed" ? { epoch: event.epoch, length: event.length } : context.known,
    }),
    noteBytes: assign({
      writing: ({ context, event }) => (event.type === "append.sent" ? event.bytes : context.writing),
    }),
    advance: assign({
      known: ({ context: { known, writing } }) =>
        known === undefined ? known : { ...known, length: known.length + writing },
    }),
  },
}).createMachine({
  id: "claim",
  context: { writing: 0 },
  initial: "free",
  states: {
    free: { on: { "claim.sent": "claiming" } },
    claiming: {
      on: {
        claimed: [
          { guard: "isUnknown", target: "owned", actions: "noteEnd" },
          { guard: "isUnchanged", target: "owned", actions: "noteEnd" },
          { guard: "isOwnChange", target: "owned", actions: "noteEnd" },
          { target: "overtaken" },
        ],
        refused: "free",
        unanswered: "free",
        lost: "free",
      },
    },
    owned: {
      on: {
        "append.sent": { target: "writing", actions: "noteBytes" },
        lost: "free",
        changed: "overtaken",
      },
    },
    writing: {
      on: {
        appended: { target: "owned", actions: "advance" },
        unanswered: "free",
        fenced: "free",
        lost: "free",
        changed: "overtaken",
      },
    },
    /** Another owner wrote in between: what this driver knows is of no use. */
    overtaken: { type: "final" },
  },
});

export type ClaimState = SnapshotFrom<typeof claimMachine>;
