import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  type ClientApp,
  type CreateTerminalRequest,
  methods,
  type TerminalExitStatus,
  type TerminalOutputResponse,
} from "@agentclientprotocol/sdk/unstable";

/** What a client does with terminals, by their ids. */
export interface Terminals {
  create(request: CreateTerminalRequest): Promise<string>;
  output(id: string): Promise<TerminalOutputResponse>;
  waitForExit(id: string): Promise<TerminalExitStatus>;
  kill(id: string): Promise<void>;
  release(id: string): Promise<void>;
}

interface Running {
  readonly child: ChildProcess;
  readonly exit: Promise<TerminalExitStatus>;
  output: Buffer;
}

/** Terminals whose commands are processes. */
export class ProcessTerminals implements Terminals {
  readonly created: CreateTerminalRequest[] = [];
  /** The ids of those that are not released. */
  readonly open = new Map<string, Running>();

  async create(request: CreateTerminalRequest): Promise<string> {
    this.created.push(request);
    const { command, args = [], env = [], cwd } = request;
    const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const child = spawn(command, args, {
      ...(cwd != null && { cwd }),
      env: { ...process.env, ...variables },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const exit = once(child, "close").then(([exitCode, signal]) => ({ exitCode, signal }));
    const running: Running = { child, exit, output: Buffer.alloc(0) };
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (bytes: Buffer) => {
        running.output = Buffer.concat([running.output, bytes]);
      });
    const id = `terminal ${this.created.length}`;
    this.open.set(id, running);
    await once(child, "spawn");
    return id;
  }

  async output(id: string): Promise<TerminalOutputResponse> {
    const { output } = this.#find(id);
    const limit = this.created.at(-1)?.outputByteLimit ?? output.length;
    return { output: output.subarray(-limit).toString(), truncated: output.length > limit };
  }

  waitForExit(id: string): Promise<TerminalExitStatus> {
    return this.#find(id).exit;
  }

  async kill(id: string): Promise<void> {
    const { pid } = this.#find(id).child;
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  }

  async release(id: string): Promise<void> {
    this.#find(id);
    this.open.delete(id);
  }

  #find(id: string): Running {
    const found = this.open.get(id);
    if (found === undefined) throw new Error(`There is no ${id}.`);
    return found;
  }
}

export function serveTerminals(app: ClientApp, terminals: Terminals): void {
  const { terminal } = methods.client;
  app
    .onRequest(terminal.create, async ({ params }) => ({ terminalId: await terminals.create(params) }))
    .onRequest(terminal.output, ({ params }) => terminals.output(params.terminalId))
    .onRequest(terminal.waitForExit, ({ params }) => terminals.waitForExit(params.terminalId))
    .onRequest(terminal.kill, ({ params }) => terminals.kill(params.terminalId))
    .onRequest(terminal.release, ({ params }) => terminals.release(params.terminalId));
}
