import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { McpServer } from "../../../adapters/mcp/server.ts";
import { connectMcp } from "../../../adapters/mcp/servers.ts";
import { connected, rawServer, referenceServer } from "../../support/mcp/servers.ts";
import { stillClock } from "../../support/still-clock.ts";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "mcp-"));
  file = path.join(folder, "calls.txt");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const never = new AbortController().signal;

async function call(server: McpServer, name: string, signal = never, onProgress = () => {}): Promise<string> {
  const connection = await server.connection(signal);
  const { content } = await connection.callTool(name, {}, { signal, onProgress });
  const [first] = content;
  return first?.type === "text" ? first.text : "";
}

/** Resolves when the state is this. */
const state = (server: McpServer, expected: string): Promise<void> =>
  new Promise((resolve) => {
    const check = (): void => {
      if (server.status.state === expected) resolve();
    };
    server.onChange(check);
    check();
  });

describe("a process", () => {
  test("speaks an earlier protocol, and its tools are listed", async () => {
    await using server = await connected(referenceServer("filesystem", folder));
    expect(server.status).toEqual({ name: "s", state: "ready", protocol: "2025-11-25", tools: 14 });
    expect(await call(server, "list_allowed_directories")).toContain(folder);
  });

  test("keeps what it was given from call to call", async () => {
    const memory = {
      ...referenceServer("memory"),
      env: { MEMORY_FILE_PATH: path.join(folder, "memory.json") },
    };
    await using server = await connected(memory);
    const connection = await server.connection(never);
    const entities = [{ name: "Ada", entityType: "person", observations: ["wrote a program"] }];
    await connection.callTool("create_entities", { entities }, { signal: never });
    expect(await call(server, "read_graph")).toContain("wrote a program");
  });

  test("may print lines that are not messages, and end at a request that it does not know", async () => {
    await using noisy = await connected(rawServer("noise"));
    await using strict = await connected(rawServer("strict"));
    expect([noisy.status.state, strict.status.state]).toEqual(["ready", "ready"]);
  });

  test("has no variable of this process that may hold a key, except the ones in its settings", async () => {
    process.env.MCP_TEST_API_KEY = "secret";
    try {
      await using server = await connected({ ...rawServer(), env: { OWN_TOKEN: "own" } });
      const names = (await call(server, "env")).split(" ");
      expect(names).toContain("OWN_TOKEN");
      expect(names.filter((name) => name in process.env).sort()).toEqual(
        ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"].filter((name) => name in process.env),
      );
    } finally {
      delete process.env.MCP_TEST_API_KEY;
    }
  });

  test("that can't be run has failed, with the reason", async () => {
    await using server = await connected({ command: "no-such-program" });
    expect(server.status).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("'no-such-program' can't be run"),
    });
  });

  test("that ends at its start is tried again, with the end of its stderr as the reason", async () => {
    await using server = await connected(rawServer("crash"), { clock: stillClock() });
    expect(server.status).toMatchObject({
      state: "waiting",
      reason: "It ended with exit code 3. Its stderr ends with: no configuration",
    });
  });

  test("that hangs at its start is terminated after a time", async () => {
    await using server = await connected(rawServer("hang"), { limits: { connectTimeoutMs: 500 } });
    expect(server.status).toMatchObject({ state: "waiting", reason: "It did not answer within 500 ms." });
  });

  test("ends with all that it started when it is closed", async () => {
    const server = await connected(rawServer(), { limits: { exitGraceMs: 100 } });
    const pid = await call(server, "spawn");
    await server.close();
    expect(server.status.state).toBe("closed");
    if (process.platform === "linux") expect(isAlive(pid)).toBe(false);
  });
});

/** Whether a process runs: one that was killed may wait for its parent. */
const isAlive = (pid: string): boolean => existsSync(`/proc/${pid}/exe`);

describe("a call", () => {
  test("reports its progress, and is cancelled at the server when it is aborted", async () => {
    await using server = await connected(rawServer("honest", file));
    const abort = new AbortController();
    await expect(call(server, "wait", abort.signal, () => abort.abort())).rejects.toThrow();
    // What comes after the cancellation is read after it.
    await call(server, "echo");
    expect(await readFile(file, "utf8")).toMatch(/^cancelled \d+\n$/);
  });

  test("without progress expires after a time, and is cancelled", async () => {
    await using server = await connected({ ...rawServer("honest", file), timeout: 0.05 });
    await expect(call(server, "wait")).rejects.toThrow("did not answer within 50 ms");
  });

  test("fails when its server ends, is not sent again, and the next one connects again", async () => {
    await using server = await connected(rawServer("honest", file), {
      limits: { reconnectDelayMs: 600_000 },
    });
    await expect(call(server, "die")).rejects.toThrow();
    await state(server, "waiting");
    expect(server.status.reason).toBe("It ended by SIGKILL.");
    expect(await call(server, "echo")).toBe("{}");
    expect(await readFile(file, "utf8")).toBe("called\n");
  });

  test("fails when its server sends a message without end, which terminates the server", async () => {
    await using server = await connected(rawServer(), { limits: { discardedBytes: 11_000_000 } });
    await expect(call(server, "flood")).rejects.toThrow();
    await state(server, "waiting");
    expect(server.status.reason).toContain("without end");
  });

  test.each(["before", "behind"])(
    "with a result of 30 MB ends with its size, whose id stands %s it, and the server lives (field report 18)",
    async (place) => {
      await using server = await connected(rawServer());
      const connection = await server.connection(never);
      const big = connection.callTool("big", { place }, { signal: never });
      await expect(big).rejects.toMatchObject({
        code: "TOO_LARGE",
        message: expect.stringMatching(
          /^The call has ended\. The response has 300000\d\d bytes, expected at most 10000000/,
        ),
      });
      expect(await call(server, "echo")).toBe("{}");
      expect(server.status.state).toBe("ready");
    },
  );
});

test("servers that hang at their start are closed when the signal of the connecting aborts", async () => {
  const stopped = new AbortController();
  const servers = { silent: rawServer("hang") };
  const connecting = connectMcp({ servers, clock: stillClock(), signal: stopped.signal });
  const reason = new Error("stopped");
  stopped.abort(reason);
  await expect(connecting).rejects.toBe(reason);
  await expect(connectMcp({ servers, signal: stopped.signal })).rejects.toBe(reason);
});

test("an invalid item of a list is named, and the others are offered (field report 37)", async () => {
  await using server = await connected(rawServer("items"));
  expect(server.status.state).toBe("ready");
  expect(server.listing.tools).toHaveLength(9);
  expect(server.listing.prompts.map(({ name }) => name)).toEqual(["good"]);
  expect(server.listing.problems).toEqual([
    expect.stringMatching(/^Its tool "bad" is left out: inputSchema: .*expected object/),
    expect.stringMatching(/^Its prompt "number 2" is left out: name: /),
  ]);
  const connection = await server.connection(never);
  const called = await connection.callTool("odd", {}, { signal: never });
  expect(called.content).toEqual([
    { type: "text", text: "one" },
    { type: "text", text: expect.stringContaining('[Its block of content "number 2" is left out') },
    { type: "text", text: "three" },
  ]);
  const listed = await connection.listResources({ signal: never });
  expect(JSON.stringify(listed.content)).toContain("a:good: good");
  const read = await connection.readResource("a:good", { signal: never });
  expect(read.content).toEqual([
    { type: "text", text: "inside" },
    { type: "text", text: expect.stringContaining("is left out") },
  ]);
  const texts = await connection.getPrompt("good", {});
  expect(texts).toEqual([expect.stringContaining("is left out"), "help"]);
});

test("a list that changed is read again", async () => {
  await using server = await connected(rawServer());
  const changed = new Promise<void>((resolve) =>
    server.onChange(() => {
      if (server.listing.tools.length === 1) resolve();
    }),
  );
  await call(server, "change");
  await changed;
  expect(server.listing.tools[0]?.description).toBe("Another description.");
});
