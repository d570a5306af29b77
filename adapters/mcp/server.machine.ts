import { type ActorRefFrom, assign, fromCallback, fromPromise, type SnapshotFrom, setup } from "xstate";
import { messageOf } from "../../tools/error.ts";
import {
  type McpConnection,
  McpConnectionError,
  type McpListing,
  type OpenConnection,
} from "./connection.ts";
import type { McpLimits } from "./options.ts";

export interface ServerContext {
  readonly open: OpenConnection;
  readonly limits: McpLimits;
  /** Collects what must end before the server is closed. */
  readonly closing: Set<Promise<void>>;
  /** While it is open. */
  readonly connection: McpConnection | undefined;
  /** The newest one. */
  readonly listing: McpListing;
  /** Failed attempts to connect since the last stable connection. */
  readonly attempts: number;
  /** Ends of the watch for changes in a row. */
  readonly watches: number;
  /** The reason why there is no connection, or no new list. */
  readonly reason: string | undefined;
}

export type ServerEvent =
  | {
      readonly type: "connection.opened";
      readonly connection: McpConnection;
      readonly listing: McpListing;
    }
  | { readonly type: "connection.failed"; readonly reason: string; readonly isFinal: boolean }
  | { readonly type: "connection.lost"; readonly reason: string }
  | { readonly type: "connection.needed" }
  | { readonly type: "list.changed" }
  | { readonly type: "server.closed" };

type ServerInput = Pick<ServerContext, "open" | "limits" | "closing">;

const NOTHING: McpListing = { tools: [], prompts: [], problems: [], hasResources: false };

/** Opens a connection, reports what becomes of it, and closes it when it is stopped. */
const connection = fromCallback<ServerEvent, Pick<ServerContext, "open" | "closing">, ServerEvent>(
  ({ input: { open, closing }, sendBack }) => {
    const abort = new AbortController();
    const opening = open(
      {
        lost: (reason) => sendBack({ type: "connection.lost", reason }),
        listChanged: () => sendBack({ type: "list.changed" }),
      },
      abort.signal,
    );
    opening.then(
      (opened) => sendBack({ type: "connection.opened", ...opened }),
      (error: unknown) =>
        sendBack({
          type: "connection.failed",
          reason: messageOf(error),
          isFinal: error instanceof McpConnectionError && error.isFinal,
        }),
    );
    return () => {
      abort.abort();
      const closed = opening.then(
        (opened) => opened.connection.close(),
        // It has been reported.
        () => undefined,
      );
      closing.add(closed);
      void closed.finally(() => closing.delete(closed));
    };
  },
);

const machine = setup({
  types: {
    context: {} as ServerContext,
    events: {} as ServerEvent,
    input: {} as ServerInput,
  },
  actors: {
    connection,
    list: fromPromise<McpListing, McpConnection>(({ input }) => input.list()),
    watch: fromPromise<"ended" | "unsupported", McpConnection>(({ input }) => input.watch()),
  },
  delays: {
    reconnectDelay: ({ context: { attempts, limits } }) => backoff(attempts, limits),
    watchDelay: ({ context: { watches, limits } }) => backoff(watches, limits),
    stableAfter: ({ context: { limits } }) => limits.stableAfterMs,
    listTtl: ({ context: { listing, limits } }) =>
      Math.min(Math.max(listing.ttlMs ?? 0, limits.listTtlMinMs), LIST_TTL_MAX_MS),
  },
  guards: {
    isFinal: (_, { isFinal }: { readonly isFinal: boolean }) => isFinal,
    hasAttempts: ({ context: { attempts, limits } }) => attempts < limits.reconnects,
    hasTtl: ({ context: { listing } }) => listing.ttlMs !== undefined && listing.ttlMs > 0,
  },
  actions: {
    setReason: assign((_, { reason }: { readonly reason: string | undefined }) => ({ reason })),
    countAttempt: assign({ attempts: ({ context }) => context.attempts + 1 }),
    allowOneAttempt: assign({ attempts: ({ context }) => context.limits.reconnects }),
    resetAttempts: assign({ attempts: 0 }),
    countWatch: assign({ watches: ({ context }) => context.watches + 1 }),
    resetWatches: assign({ watches: 0 }),
    setListing: assign(({ context }, listing: McpListing) => ({
      // The same list keeps what a request has of it, so that an endpoint can serve it from its cache.
      listing: isSame(context.listing, listing) ? context.listing : listing,
      reason: undefined,
    })),
    forgetListing: assign({ listing: NOTHING }),
    forgetConnection: assign({ connection: undefined }),
  },
});

const isSame = (one: McpListing, other: McpListing): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Longest time for which the list of a server is believed: a day. */
const LIST_TTL_MAX_MS = 86_400_000;

const backoff = (times: number, { reconnectDelayMs, reconnectDelayMaxMs }: McpLimits): number =>
  Math.min(reconnectDelayMs * 2 ** Math.max(times - 1, 0), reconnectDelayMaxMs);

/** The connection that the states below need. */
function connectionIn({ connection: open }: Pick<ServerContext, "connection">): McpConnection {
  if (open === undefined) throw new Error("Expected an open connection to the MCP server.");
  return open;
}

/**
 * The life of the connection to one MCP server. A connection that is lost is opened again after a delay that doubles, for a
 * limited number of times; a call that needs it ends the delay. The tools of the newest list stay until it fails.
 */
export const serverMachine = machine.createMachine({
  id: "mcpServer",
  context: ({ input }) => ({
    ...input,
    connection: undefined,
    listing: NOTHING,
    attempts: 0,
    watches: 0,
    reason: undefined,
  }),
  initial: "connected",
  on: { "server.closed": ".closed" },
  states: {
    connected: {
      invoke: { src: "connection", input: ({ context: { open, closing } }) => ({ open, closing }) },
      exit: "forgetConnection",
      initial: "connecting",
      on: {
        "connection.failed": [
          {
            guard: { type: "isFinal", params: ({ event }) => event },
            target: "failed",
            actions: { type: "setReason", params: ({ event }) => event },
          },
          {
            guard: "hasAttempts",
            target: "waiting",
            actions: ["countAttempt", { type: "setReason", params: ({ event }) => event }],
          },
          { target: "failed", actions: { type: "setReason", params: ({ event }) => event } },
        ],
        "connection.lost": [
          {
            guard: "hasAttempts",
            target: "waiting",
            actions: ["countAttempt", { type: "setReason", params: ({ event }) => event }],
          },
          { target: "failed", actions: { type: "setReason", params: ({ event }) => event } },
        ],
      },
      states: {
        connecting: {
          on: {
            "connection.opened": {
              target: "ready",
              actions: [
                assign({ connection: ({ event }) => event.connection }),
                { type: "setListing", params: ({ event }) => event.listing },
                "resetWatches",
              ],
            },
          },
        },
        ready: {
          type: "parallel",
          states: {
            list: {
              initial: "current",
              states: {
                current: {
                  after: { listTtl: { guard: "hasTtl", target: "reading" } },
                  on: { "list.changed": "reading" },
                },
                reading: {
                  invoke: {
                    src: "list",
                    input: ({ context }) => connectionIn(context),
                    onDone: {
                      target: "current",
                      actions: { type: "setListing", params: ({ event }) => event.output },
                    },
                    // The earlier list stays: a call of a tool that is gone is rejected by its server.
                    onError: {
                      target: "current",
                      actions: {
                        type: "setReason",
                        params: ({ event }) => ({ reason: messageOf(event.error) }),
                      },
                    },
                  },
                  on: { "list.changed": { target: "reading", reenter: true } },
                },
              },
            },
            changes: {
              initial: "watched",
              states: {
                watched: {
                  invoke: {
                    src: "watch",
                    input: ({ context }) => connectionIn(context),
                    onDone: [
                      { guard: ({ event }) => event.output === "unsupported", target: "unwatched" },
                      { target: "waiting", actions: "countWatch" },
                    ],
                    onError: { target: "waiting", actions: "countWatch" },
                  },
                },
                waiting: { after: { watchDelay: "watched" } },
                unwatched: {},
              },
            },
            age: {
              initial: "new",
              states: { new: { after: { stableAfter: "stable" } }, stable: { entry: "resetAttempts" } },
            },
          },
        },
      },
    },
    waiting: { after: { reconnectDelay: "connected" }, on: { "connection.needed": "connected" } },
    failed: {
      entry: "forgetListing",
      on: { "connection.needed": { target: "connected", actions: "allowOneAttempt" } },
    },
    closed: { type: "final" },
  },
});

export type ServerActor = ActorRefFrom<typeof serverMachine>;
export type ServerSnapshot = SnapshotFrom<typeof serverMachine>;
