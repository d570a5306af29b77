// cspell:words cmdline mkfifo
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import {
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer, type ListenOptions, type Server } from "node:net";
import { homedir, networkInterfaces } from "node:os";
import path from "node:path";
import { hasIpv6 } from "./attempts.ts";

/** The world outside of a sandbox, for one attempt to leave it. */
export interface Outside {
  readonly workspace: string;
  readonly home: string;
  /** The variables that name its places. */
  readonly env: Readonly<Record<string, string>>;
  /** The paths, kinds, modes and contents of the files that no command may change. */
  files(): readonly string[];
  /** The texts that its servers received. */
  readonly received: readonly string[];
  /** The processes that commands left with the mark. */
  left(): readonly number[];
  /** Whether the process outside answers. */
  isAlive(): Promise<boolean>;
  close(): Promise<void>;
}

/** The text of each secret. */
export const SECRET = "secret-5b1f0c";

export async function openOutside(): Promise<Outside> {
  const mark = `t${randomUUID().replaceAll("-", "").slice(0, 20)}`;
  // A folder that commands see: temporary folders are hidden.
  const base = mkdtempSync(path.join(homedir(), `.signalbox-${mark}-`));
  const [workspace, home, beside] = ["workspace", "home", "beside"].map((name) => path.join(base, name));
  if (workspace === undefined || home === undefined || beside === undefined) throw new Error("no names");
  const [temporary, shared] = [`/tmp/${mark}`, `/dev/shm/${mark}`];
  for (const [file, text, mode] of [
    [path.join(beside, "kept"), "kept", 0o600],
    [path.join(home, ".bashrc"), "# kept", 0o600],
    [path.join(home, ".ssh/id"), SECRET, 0o600],
    [path.join(workspace, ".git/config"), "[core]\n\tbare = false\n", 0o600],
    [path.join(workspace, ".git/HEAD"), "ref: refs/heads/main\n", 0o600],
    [path.join(workspace, ".git/hooks/pre-commit"), "#!/bin/sh\n", 0o755],
    [path.join(workspace, ".git/objects/kept"), "", 0o600],
    [path.join(workspace, ".git/refs/kept"), "", 0o600],
    [path.join(workspace, ".husky/pre-commit"), "#!/bin/sh\n", 0o755],
    [path.join(workspace, ".env"), SECRET, 0o600],
    [path.join(workspace, "private/key"), SECRET, 0o600],
    [path.join(base, "wait"), '#!/bin/sh\nexec 8<>"$(dirname "$0")/pipe"\nread -r line <&8\n', 0o755],
    [path.join(base, "echo"), '#!/bin/sh\nwhile read -r line; do echo "$line"; done\n', 0o755],
    ...[temporary, shared].map((file) => [file, SECRET, 0o600] as const),
  ] as const) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { mode });
  }
  await once(spawn("mkfifo", [path.join(base, "pipe")]), "exit");
  const outer = startOuter(base, beside, mark);
  const received: string[] = [];
  const listen = async (where: ListenOptions): Promise<Server> => {
    const server = createServer((socket) =>
      socket
        .on("error", () => {})
        .on("data", (bytes) => {
          received.push(bytes.toString());
          socket.end();
        }),
    );
    server.listen(where);
    await once(server, "listening");
    return server;
  };
  const socket = path.join(beside, "s");
  const servers = [
    await listen({ port: 0, host: "0.0.0.0" }),
    await listen({ port: 0, host: hasIpv6() ? "::1" : "127.0.0.1" }),
    await listen({ path: socket }),
    await listen({ path: path.join(workspace, "outer.sock") }),
    await listen({ path: `${temporary}.sock` }),
    await listen({ path: `\0${mark}` }),
  ];
  const udp = createSocket("udp4");
  udp.on("message", (bytes, { port, address }) => {
    received.push(bytes.toString("latin1"));
    udp.send(bytes, port, address);
  });
  udp.bind(0, "127.0.0.1");
  await once(udp, "listening");
  const [port, port6] = servers.slice(0, 2).map((server) => portOf(server.address()));
  const guarded = [
    ...[beside, home, temporary, shared],
    ...[".git/hooks", ".git/config", ".vscode", ".husky", "new"].map((name) => path.join(workspace, name)),
  ];
  return {
    workspace,
    home,
    received,
    env: {
      PATH: `${path.join(workspace, "bin")}:${process.env.PATH}`,
      HOME: home,
      BESIDE: beside,
      OUTER: String(outer.pid),
      MARK: mark,
      PROOF: SECRET.replace("secret-", ""),
      WAIT: path.join(base, "wait"),
      TEMPORARY: temporary,
      TEMPORARY_SOCKET: `${temporary}.sock`,
      SHARED: shared,
      SOCKET: socket,
      ABSTRACT: mark,
      PORT: String(port),
      PORT6: String(port6),
      UDP: String(udp.address().port),
      ADDRESS: externalAddress(),
    },
    files: () => guarded.flatMap(filesIn),
    left: () => processesWith(mark).filter((pid) => pid !== outer.pid),
    async isAlive() {
      if (outer.exitCode !== null || outer.signalCode !== null) return false;
      const answer = new Promise<boolean>((resolve) => {
        outer.stdout?.once("data", () => resolve(true));
        outer.once("exit", () => resolve(false));
      });
      // It may have ended: then its exit comes.
      outer.stdin?.on("error", () => {}).write("ping\n");
      return answer;
    },
    async close() {
      processesWith(mark).forEach(end);
      udp.close();
      for (const server of servers) server.close();
      for (const file of [temporary, shared, base]) rmSync(file, { recursive: true, force: true });
    },
  };
}

/** A process with a secret in its environment and in a descriptor. */
function startOuter(base: string, cwd: string, mark: string): ChildProcess {
  const secret = openSync(path.join(base, "home/.ssh/id"), "r");
  const ignored = Array.from({ length: 7 }, () => "ignore" as const);
  const outer = spawn(path.join(base, "echo"), [`${mark}-outer`, SECRET], {
    cwd,
    env: { ...process.env, HIDDEN: SECRET },
    detached: true,
    stdio: ["pipe", "pipe", ...ignored, secret],
  });
  closeSync(secret);
  return outer;
}

const portOf = (address: string | AddressInfo | null): number =>
  typeof address === "object" && address !== null ? address.port : 0;

const externalAddress = (): string =>
  Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .find(({ internal, family }) => !internal && family === "IPv4")?.address ?? "127.1.2.3";

function filesIn(file: string): readonly string[] {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  const head = `${file} ${stat.mode.toString(8)}`;
  if (stat.isDirectory())
    return [
      head,
      ...readdirSync(file)
        .sort()
        .flatMap((name) => filesIn(path.join(file, name))),
    ];
  if (stat.isSymbolicLink()) return [`${head} ${readlinkSync(file)}`];
  return [stat.isFile() ? `${head} ${readFileSync(file, "utf8")}` : head];
}

const processesWith = (mark: string): readonly number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    // A sandbox of another test may have the mark in a path of its arguments.
    .filter((name) => argumentsOf(name).some((argument) => [mark, `${mark}-outer`].includes(argument)))
    .map(Number);

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended since it was listed.
  }
}

function argumentsOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0");
  } catch {
    // It has ended.
    return [];
  }
}
