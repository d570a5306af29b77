import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createServer, type ListenOptions, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Access, realPath } from "./accesses.ts";
import { removeTemporary } from "./remove-temporary.ts";

/** New folders with accesses of every kind, and servers: what the probes of a sandbox try. */
export interface ProbeGround {
  readonly accesses: readonly Access[];
  /** A folder that can be written. */
  readonly writable: string;
  /** A folder in `writable`, which contains one that can't be written. */
  readonly parent: string;
  /** A file in `writable` that can't be read. */
  readonly secret: string;
  /** The temporary folder of programs. */
  readonly temporary: string;
  /** A server that can't be reached. */
  readonly tcp: ProbeServer;
  /** A server with a path in a folder that can be read. It can't be reached. */
  readonly unix: ProbeServer;
  /** A server in place of a proxy. */
  readonly proxy: ProbeServer;
  close(): Promise<void>;
}

export interface ProbeServer {
  /** Where it listens. */
  readonly at: ListenOptions;
  /** Whether it had a connection. */
  isReached(): boolean;
}

/** Create the folders and servers. */
export async function openProbeGround(): Promise<ProbeGround> {
  const folder = realPath(await mkdtemp(path.join(tmpdir(), "signalbox-probes-")));
  const [writable, readable] = [path.join(folder, "writable"), path.join(folder, "readable")];
  const [denied, parent] = [path.join(writable, "denied"), path.join(writable, "parent")];
  const kept = path.join(parent, "kept");
  for (const each of [denied, kept, readable]) mkdirSync(each, { recursive: true });
  const secret = path.join(denied, "secret");
  writeFileSync(secret, "secret");
  const servers: Server[] = [];
  const close = async (): Promise<void> => {
    const closed = servers.filter(({ listening }) => listening).map((server) => once(server, "close"));
    for (const server of servers) server.close();
    await Promise.all(closed);
    removeTemporary(folder);
  };
  const loopback = { host: "127.0.0.1", port: 0 };
  try {
    const [tcp, unix, proxy] = [
      await listen(loopback, servers),
      await listen({ path: path.join(readable, "s") }, servers),
      await listen(loopback, servers),
    ];
    return {
      ...{ writable, parent, secret, temporary: path.join(folder, "temporary"), tcp, unix, proxy, close },
      accesses: [
        { path: writable, level: "write" },
        { path: readable, level: "read" },
        { path: denied, level: "none" },
        { path: kept, level: "read" },
      ],
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function listen(where: ListenOptions, servers: Server[]): Promise<ProbeServer> {
  let isReached = false;
  const server = createServer((socket) => {
    isReached = true;
    // Its client may have ended.
    socket.on("error", () => {}).destroy();
  });
  servers.push(server);
  server.listen(where);
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? { port: address.port } : {};
  return { at: { ...where, ...port }, isReached: () => isReached };
}
