import { assign, type SnapshotFrom, setup } from "xstate";

/** A command that was read from the inbox. */
export interface WaitingCommand {
  readonly position: number;
  readonly command?: unknown;
}

export interface InboxContext {
  /** Position of the last command that the task has taken. It is durable once the task's commits are written. */
  readonly taken: number;
  /** Position up to which commands were removed from the inbox. */
  readonly removed: number;
  /** The commands that were read and not taken yet, in order. */
  readonly waiting: readonly WaitingCommand[];
}

/** Where the owner of a task begins: the position that the task's journal has. */
export type InboxInput = Pick<InboxContext, "taken">;

export type InboxEvent =
  /** A command may have been added: a notification, a wake, or a gap in which notifications were lost. */
  | { readonly type: "added" }
  /** All commits of the task so far are durable. */
  | { readonly type: "written" }
  /** The commands after the last one that was taken. */
  | { readonly type: "read"; readonly commands: readonly WaitingCommand[] }
  /** The task has taken the first waiting command: its position is in the record of what it did. */
  | { readonly type: "taken" }
  /** The commands up to the last one that was taken are removed. */
  | { readonly type: "removed" }
  /** A statement or a write failed, or its answer was lost. */
  | { readonly type: "failed" }
  | { readonly type: "retry.due" }
  /** The task is closed or lost. */
  | { readonly type: "stopped" };

/**
 * The owner of a task takes the commands of its inbox. Each state does one thing and waits for its end. A command is removed only after the record of what it did is durable, and a command is read only after the position of
 * the last one that was taken, so each is taken once, whichever statement is repeated or lost. A command that is added while
 * the inbox is read may be missing in the result, so the inbox is read again.
 */
export const inboxMachine = setup({
  types: { context: {} as InboxContext, events: {} as InboxEvent, input: {} as InboxInput },
  guards: {
    hasWaiting: ({ context }) => context.waiting.length > 0,
    hasUnremoved: ({ context }) => context.removed < context.taken,
    hasNew: ({ context, event }) => event.type === "read" && newIn(context, event.commands).length > 0,
  },
  actions: {
    noteCommands: assign({
      waiting: ({ context, event }) =>
        event.type === "read" ? newIn(context, event.commands) : context.waiting,
    }),
    noteTaken: assign({
      taken: ({ context }) => context.waiting[0]?.position ?? context.taken,
      waiting: ({ context }) => context.waiting.slice(1),
    }),
    noteRemoved: assign({ removed: ({ context }) => context.taken }),
    // The effects: the one that runs the machine executes them by their names. Each but the last two ends with an event.
    write: () => {},
    read: () => {},
    take: () => {},
    remove: () => {},
    retryLater: () => {},
    rest: () => {},
  },
}).createMachine({
  id: "inbox",
  context: ({ input: { taken } }) => ({ taken, removed: 0, waiting: [] }),
  initial: "writing",
  on: { stopped: ".stopped" },
  states: {
    /** The task's commits are written: an ask is open, and a command is taken for good, only after that. */
    writing: {
      entry: "write",
      on: {
        written: [
          { guard: "hasWaiting", target: "taking" },
          { guard: "hasUnremoved", target: "removing" },
          { target: "reading" },
        ],
        failed: "failed",
      },
    },
    taking: {
      entry: "take",
      on: { taken: { target: "writing", actions: "noteTaken" }, failed: "failed" },
    },
    removing: {
      entry: "remove",
      on: { removed: { target: "reading", actions: "noteRemoved" }, failed: "failed" },
    },
    reading: {
      entry: "read",
      initial: "newest",
      on: { failed: "failed" },
      states: {
        newest: {
          on: {
            added: "outdated",
            read: [
              { guard: "hasNew", target: "#inbox.writing", actions: "noteCommands" },
              { target: "#inbox.resting" },
            ],
          },
        },
        /** A command may have been added after the statement began. */
        outdated: {
          on: {
            read: [
              { guard: "hasNew", target: "#inbox.writing", actions: "noteCommands" },
              { target: "#inbox.reading", reenter: true },
            ],
          },
        },
      },
    },
    /** All commands are taken. */
    resting: { entry: "rest", on: { added: "reading" } },
    failed: { entry: "retryLater", on: { "retry.due": "writing", added: "writing" } },
    stopped: { type: "final" },
  },
});

export type InboxState = SnapshotFrom<typeof inboxMachine>;

const newIn = ({ taken }: InboxContext, commands: readonly WaitingCommand[]): readonly WaitingCommand[] =>
  commands.filter(({ position }) => position > taken);
