import { describe, expect, test } from "vitest";
import {
  type McpConnection,
  McpConnectionError,
  type McpConnectionListener,
  type McpListing,
} from "../../../adapters/mcp/connection.ts";
import { MCP_LIMITS } from "../../../adapters/mcp/options.ts";
import { McpServer } from "../../../adapters/mcp/server.ts";
import { stillClock } from "../../support/still-clock.ts";

const listing = (...names: readonly string[]): McpListing => ({
  tools: names.map((name) => ({ name, inputSchema: {} })),
  prompts: [],
  problems: [],
  hasResources: false,
});

/** A server whose connections the test opens, lists and loses. */
function fixture(limits: Partial<typeof MCP_LIMITS> = {}) {
  const clock = stillClock();
  const attempts: {
    open(listed?: McpListing): void;
    fail(error: Error): void;
    readonly listener: McpConnectionListener;
  }[] = [];
  const lists: ((listed: McpListing) => void)[] = [];
  const watches: (() => void)[] = [];
  const closed: string[] = [];
  const connection: McpConnection = {
    protocol: "test",
    list: () => new Promise((resolve) => lists.push(resolve)),
    watch: () => new Promise((resolve) => watches.push(() => resolve("ended"))),
    callTool: async () => ({ content: [] }),
    readResource: async () => ({ content: [] }),
    listResources: async () => ({ content: [] }),
    getPrompt: async () => [],
    close: async () => void closed.push("closed"),
  };
  const server = new McpServer("s", {
    clock,
    limits: { ...MCP_LIMITS, ...limits },
    open: (listener) =>
      new Promise((resolve, reject) =>
        attempts.push({
          open: (listed = listing("a")) => resolve({ connection, listing: listed }),
          fail: reject,
          listener,
        }),
      ),
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { clock, server, attempts, lists, watches, closed, settle };
}

const down = () => new McpConnectionError("down", { isFinal: false });

describe("the connection to a server", () => {
  test("is opened again after delays that double, until it has failed too often", async () => {
    const { clock, server, attempts, settle } = fixture({ reconnects: 2, reconnectDelayMs: 100 });
    for (const delay of [100, 200]) {
      attempts.at(-1)?.fail(down());
      await settle();
      expect(server.status).toMatchObject({ state: "waiting", reason: "down" });
      const before = attempts.length;
      clock.advance(delay - 1);
      expect(attempts.length).toBe(before);
      clock.advance(1);
      expect(attempts.length).toBe(before + 1);
    }
    attempts.at(-1)?.fail(down());
    await settle();
    expect(server.status.state).toBe("failed");
  });

  test("is opened at once by a call, also after it has failed", async () => {
    const { server, attempts, settle } = fixture({ reconnects: 0 });
    attempts[0]?.fail(down());
    await settle();
    const call = server.connection(new AbortController().signal);
    attempts[1]?.fail(down());
    await expect(call).rejects.toThrow("The MCP server 's' is not connected. down The call was not sent.");
    const next = server.connection(new AbortController().signal);
    attempts[2]?.open();
    expect(await next).toMatchObject({ protocol: "test" });
  });

  test("that is lost keeps its tools, is closed and opened again; one that was stable has all attempts", async () => {
    const { clock, server, attempts, closed, settle } = fixture({ reconnects: 1 });
    attempts[0]?.open();
    await settle();
    clock.advance(MCP_LIMITS.stableAfterMs);
    attempts[0]?.listener.lost("gone");
    await settle();
    expect(server.status).toEqual({ name: "s", state: "waiting", tools: 1, reason: "gone" });
    expect(closed).toEqual(["closed"]);
    clock.advance(MCP_LIMITS.reconnectDelayMs);
    attempts[1]?.open(listing("b"));
    await settle();
    expect(server.listing.tools).toEqual([{ name: "b", inputSchema: {} }]);
    attempts[1]?.listener.lost("gone again");
    expect(server.status.state).toBe("failed");
  });

  test("reads its list when it changed or expired, and keeps it if it is the same", async () => {
    const { clock, server, attempts, lists, settle } = fixture();
    attempts[0]?.open({ ...listing("a"), ttlMs: 5_000 });
    await settle();
    const { listing: first } = server;
    clock.advance(5_000);
    lists[0]?.({ ...listing("a"), ttlMs: 5_000 });
    await settle();
    expect(server.listing).toBe(first);
    attempts[0]?.listener.listChanged();
    // Another change while it is read: that one is not the newest.
    attempts[0]?.listener.listChanged();
    lists[1]?.(listing("old"));
    lists[2]?.(listing("new"));
    await settle();
    expect(server.listing.tools[0]?.name).toBe("new");
  });

  test("is watched for changes again after the watch ended", async () => {
    const { clock, attempts, watches, settle } = fixture({ reconnectDelayMs: 100 });
    attempts[0]?.open();
    await settle();
    watches[0]?.();
    await settle();
    expect(watches).toHaveLength(1);
    clock.advance(100);
    expect(watches).toHaveLength(2);
  });

  test("that opens after the server was closed is also closed", async () => {
    const { server, attempts, closed } = fixture();
    const closing = server.close();
    attempts[0]?.open();
    await closing;
    expect(closed).toEqual(["closed"]);
    expect(server.status.state).toBe("closed");
  });
});
