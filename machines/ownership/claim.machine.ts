import { assign, type SnapshotFrom, setup } from "xstate";

/** A place in a journal that one owner knows: its epoch, and the number of bytes that it knows to be durable. */
export interface KnownEnd {
  readonly epoch: number;
  readonly length: number;
}

export interface ClaimContext {
  /** The end as this driver last knew it. Absent until it owned the journal for the first time. */
  readonly known?: KnownEnd;
  /** Bytes of the append in flight. */
  readonly writing: number;
}

export type ClaimEvent =
  /** A claim is sent. */
  | { readonly type: "claim.sent" }
  /** The database gave the journal to this driver; `previous`: the epoch before. */
  | { readonly type: "claimed"; readonly epoch: number; readonly previous: number; readonly length: number }
  /** Another worker that is alive owns it. */
  | { readonly type: "refused" }
  /** An append of so many bytes is sent. */
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
 * The ownership of one journal by one driver. Each claim has an epoch of its own, and the database executes an append only
 * for the newest one (the fence). After an append without an answer the driver is `unsure`: its next append first removes
 * whatever stands behind the known end, in the same statement. A driver that claims a journal again continues only if
 * nobody owned it in between.
 */
export const claimMachine = setup({
  types: { context: {} as ClaimContext, events: {} as ClaimEvent },
  guards: {
    isUnknown: ({ context }) => context.known === undefined,
    isUnchanged: ({ context: { known }, event }) =>
      event.type === "claimed" && event.previous === known?.epoch && event.length === known.length,
    /** The bytes behind the known end are this driver's own. */
    isOwnRest: ({ context: { known }, event }) =>
      event.type === "claimed" &&
      known !== undefined &&
      event.previous === known.epoch &&
      event.length > known.length,
  },
  actions: {
    noteEnd: assign({
      known: ({ context, event }) =>
        event.type === "claimed" ? { epoch: event.epoch, length: event.length } : context.known,
    }),
    noteEpoch: assign({
      known: ({ context: { known }, event }) =>
        event.type === "claimed" && known !== undefined ? { ...known, epoch: event.epoch } : known,
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
          { guard: "isUnknown", target: "owned.sure", actions: "noteEnd" },
          { guard: "isUnchanged", target: "owned.sure", actions: "noteEnd" },
          { guard: "isOwnRest", target: "owned.unsure", actions: "noteEpoch" },
          { target: "overtaken" },
        ],
        refused: "free",
        unanswered: "free",
        lost: "free",
      },
    },
    owned: {
      initial: "sure",
      on: { lost: "free", fenced: "free" },
      states: {
        sure: { on: { "append.sent": { target: "writing", actions: "noteBytes" } } },
        unsure: { on: { "append.sent": { target: "writing", actions: "noteBytes" } } },
        writing: {
          on: {
            appended: { target: "sure", actions: "advance" },
            unanswered: "unsure",
            changed: "#claim.overtaken",
          },
        },
      },
    },
    /** Another owner wrote in between: what this driver knows is of no use. */
    overtaken: { type: "final" },
  },
});

export type ClaimState = SnapshotFrom<typeof claimMachine>;
