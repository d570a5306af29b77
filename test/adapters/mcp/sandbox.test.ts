import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { McpLimits } from "../../../adapters/mcp/options.ts";
import { connectMcp } from "../../../adapters/mcp/servers.ts";
import { findBubblewrap } from "../../../adapters/sandbox/find-bubblewrap.ts";
import { hasSandbox } from "../../support/sandbox.ts";

const raw = fileURLToPath(new URL("../../support/mcp/raw-server.js", import.meta.url));

describe.skipIf(!hasSandbox)("an MCP server in a sandbox", () => {
  let base: string;
  let cwd: string;
  beforeEach(() => {
    base = mkdtempSync(path.join(homedir(), ".signalbox-mcp-"));
    cwd = path.join(base, "workspace");
    for (const folder of [cwd, path.join(base, "tmp")]) mkdirSync(folder);
    vi.stubEnv("TMPDIR", path.join(base, "tmp"));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(base, { recursive: true });
  });

  const connect = (first: string, limits: Partial<McpLimits> = {}) =>
    connectMcp({
      cwd,
      limits,
      servers: {
        a: {
          command: "/bin/sh",
          args: ["-c", `${first}; exec "$0" "$1"`, process.execPath, raw],
          sandbox: { read: [raw] },
        },
      },
    });

  test("has its tools, and writes the workspace but nothing outside of it", async () => {
    const mcp = await connect("echo x > made; echo x > ../made");
    expect(mcp.status).toMatchObject([{ name: "a", state: "ready" }]);
    expect(existsSync(path.join(cwd, "made"))).toBe(true);
    expect(existsSync(path.join(base, "made"))).toBe(false);
    await mcp.close();
    expect(readdirSync(path.join(base, "tmp"))).toEqual([]);
  });

  test("is started again where a socket that would be hidden from it vanishes as it starts", async () => {
    const [bin, beside] = [path.join(base, "bin"), path.join(base, "beside")];
    for (const folder of [bin, beside]) mkdirSync(folder);
    const server = createServer();
    server.listen(path.join(beside, "s"));
    await once(server, "listening");
    // The first call only tries it.
    const program = `#!/bin/sh\ncase "$*" in *'${beside}/s'*) rm '${beside}/s' ;; esac\nexec ${await findBubblewrap()} "$@"\n`;
    writeFileSync(path.join(bin, "bwrap"), program, { mode: 0o755 });
    vi.stubEnv("PATH", `${bin}:${process.env.PATH}`);
    const mcp = await connect("echo x >> made");
    expect(mcp.status).toMatchObject([{ name: "a", state: "ready" }]);
    expect(readFileSync(path.join(cwd, "made"), "utf8")).toBe("x\n");
    expect(existsSync(path.join(beside, "s"))).toBe(false);
    await mcp.close();
    server.close();
  });

  test("fails at its time limit, and is ended, where its sandbox never starts", async () => {
    const bin = path.join(base, "bin");
    mkdirSync(bin);
    // The first call only tries it.
    const program = `#!/bin/sh\ncase "$*" in *forward.cjs*) exec sleep 100000 ;; esac\nexec ${await findBubblewrap()} "$@"\n`;
    writeFileSync(path.join(bin, "bwrap"), program, { mode: 0o755 });
    vi.stubEnv("PATH", `${bin}:${process.env.PATH}`);
    const mcp = await connect("true", { connectTimeoutMs: 1_000, exitGraceMs: 10, reconnects: 0 });
    expect(mcp.status).toMatchObject([{ state: "failed", reason: "It did not answer within 1000 ms." }]);
    await mcp.close();
    // The folder of its sandbox is removed once its process has ended.
    expect(readdirSync(path.join(base, "tmp"))).toEqual([]);
  });

  test("ends with a note on what it was kept from", async () => {
    const mcp = await connect("echo x > ../made; exit 1");
    expect(mcp.status[0]?.reason).toContain(
      `[The sandbox blocked writing ${base}/made. Only the user can allow it, in the settings: sandbox.write (the folder of a new file).]`,
    );
    await mcp.close();
  });

  test("is not started where no sandbox can be created", async () => {
    vi.stubEnv("PATH", "/nowhere");
    const mcp = await connect("echo x > made");
    expect(mcp.status).toMatchObject([{ state: "failed" }]);
    expect(mcp.status[0]?.reason).toContain("Expected a current Bubblewrap");
    expect(existsSync(path.join(cwd, "made"))).toBe(false);
    await mcp.close();
  });
});
