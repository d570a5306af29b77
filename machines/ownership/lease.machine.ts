import { assign, type SnapshotFrom, setup } from "xstate";

/** Times of a lease, in ms. */
export interface LeaseTimes {
  /** From the database's decision to the end of the lease. */
  readonly leaseMs: number;
  /** From the end of effects to the end of the lease: the time to stop them, and how far two clocks may drift apart. */
  readonly marginMs: number;
}

export interface LeaseContext extends LeaseTimes {
  /** Absent until the database has registered the worker. */
  readonly worker?: string;
  /** Time at which the newest statement was sent. */
  readonly sentAt: number;
  /** Time at which effects must have stopped. */
  readonly deadline: number;
}

/** `at`: the worker's own time of the event, in ms, from a clock that never goes back. */
export type LeaseEvent =
  /** Somebody needs the lease. */
  | { readonly type: "wanted"; readonly at: number }
  | { readonly type: "registered"; readonly worker: string; readonly at: number }
  | { readonly type: "renewal.due"; readonly at: number }
  | { readonly type: "renewed"; readonly at: number }
  /** The database declared the worker dead. */
  | { readonly type: "expired"; readonly at: number }
  /** A statement failed, or its answer was lost: the database may have executed it. */
  | { readonly type: "unanswered"; readonly at: number }
  | { readonly type: "deadline.passed"; readonly at: number }
  /** The worker ends its lease. */
  | { readonly type: "ended"; readonly at: number };

/**
 * The lease by which a worker owns tasks. The database decides when it ends, and the worker reads no clock of the database: the
 * deadline for its effects counts from before the last statement that succeeded was sent, so it lies before the end that
 * the database knows. A lease that was lost never returns; a new one is a new worker.
 */
export const leaseMachine = setup({
  types: {
    context: {} as LeaseContext,
    events: {} as LeaseEvent,
    input: {} as LeaseTimes,
  },
  guards: {
    /** Whether a lease that began when the statement was sent still holds. */
    isInTime: ({ context, event }) => event.at < deadlineOf(context),
    isHeld: ({ context, event }) => event.at < context.deadline,
  },
  actions: {
    noteSending: assign({ sentAt: ({ event }) => event.at }),
    noteWorker: assign({
      worker: ({ context, event }) => (event.type === "registered" ? event.worker : context.worker),
    }),
    extend: assign({ deadline: ({ context }) => deadlineOf(context) }),
  },
}).createMachine({
  id: "lease",
  context: ({ input }) => ({ ...input, sentAt: 0, deadline: 0 }),
  initial: "none",
  on: { ended: ".ended" },
  states: {
    none: { on: { wanted: { target: "registering", actions: "noteSending" } } },
    registering: {
      on: {
        registered: [
          { guard: "isInTime", target: "held", actions: ["noteWorker", "extend"] },
          // An answer that took as long as the lease: it may be over, and nothing is owned by it.
          { target: "none" },
        ],
        unanswered: "none",
      },
    },
    held: {
      initial: "resting",
      on: { expired: "lost", "deadline.passed": "lost" },
      states: {
        resting: {
          on: {
            "renewal.due": [
              { guard: "isHeld", target: "renewing", actions: "noteSending" },
              { target: "#lease.lost" },
            ],
          },
        },
        renewing: {
          on: {
            renewed: [{ guard: "isHeld", target: "resting", actions: "extend" }, { target: "#lease.lost" }],
            unanswered: [{ guard: "isHeld", target: "resting" }, { target: "#lease.lost" }],
          },
        },
      },
    },
    lost: { type: "final" },
    ended: { type: "final" },
  },
});

export type LeaseState = SnapshotFrom<typeof leaseMachine>;

/** Whether effects may start at this time. False once the deadline has passed, also before `deadline.passed` is sent. */
export function mayStartEffects(lease: LeaseState, at: number): boolean {
  return lease.matches("held") && at < lease.context.deadline;
}

const deadlineOf = ({ sentAt, leaseMs, marginMs }: LeaseContext): number => sentAt + leaseMs - marginMs;
