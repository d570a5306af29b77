import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { deserializeMessage, serializeMessage, type Transport } from "@modelcontextprotocol/client";
import { getDefaultEnvironment } from "@modelcontextprotocol/client/stdio";
import type { Clock } from "../../actors/protocol/index.ts";
import { messageOf } from "../../tools/index.ts";
import { COMMAND_MARK, type ProcessTree, processTree } from "../shell/index.ts";
import { McpConnectionError } from "./connection.ts";
import type { McpLimits, McpProcess } from "./options.ts";

/** Bytes of the end of stderr that an error quotes. */
const STDERR_KEPT = 2_000;
const NEWLINE = 0x0a;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export interface ProcessTransportOptions {
  readonly clock: Clock;
  readonly cwd: string;
  readonly limits: Pick<McpLimits, "exitGraceMs" | "messageBytes">;
}

/**
 * A server as a process: a message is a line of its stdin and stdout. It leads a process group, and no variable of this
 * process that may hold a key is in its environment.
 */
export class ProcessTransport implements Transport {
  onclose: Transport["onclose"];
  onerror: Transport["onerror"];
  onmessage: Transport["onmessage"];
  /** The client recognizes a process by `stderr` and `pid`. */
  readonly stderr = null;
  readonly #server: McpProcess;
  readonly #options: ProcessTransportOptions;
  #running: { readonly child: Child; readonly tree: ProcessTree; readonly exit: Promise<void> } | undefined;
  /** The parts of a line whose end has not come. */
  #parts: Buffer[] = [];
  #stderr = Buffer.alloc(0);
  #end: string | undefined;

  constructor(server: McpProcess, options: ProcessTransportOptions) {
    this.#server = server;
    this.#options = options;
  }

  get pid(): number | null {
    return this.#running?.child.pid ?? null;
  }

  /** How it ended, with the end of its stderr; undefined while it runs. */
  get end(): string | undefined {
    const text = this.#stderr.toString().trim();
    return this.#end === undefined || text === "" ? this.#end : `${this.#end} Its stderr ends with: ${text}`;
  }

  /** @throws McpConnectionError if it can't be started */
  start(): Promise<void> {
    const { command, args = [], env, cwd = this.#options.cwd } = this.#server;
    const mark = randomUUID();
    const child: Child = spawn(command, args, {
      cwd,
      env: { ...getDefaultEnvironment(), ...env, [COMMAND_MARK]: mark },
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    child.stdout.on("data", (bytes: Buffer) => this.#read(bytes));
    child.stderr.on("data", (bytes: Buffer) => {
      this.#stderr = Buffer.concat([this.#stderr, bytes]).subarray(-STDERR_KEPT);
    });
    // A write to a process that has ended: its exit is reported.
    child.stdin.on("error", (error) => this.onerror?.(error));
    return new Promise((resolve, reject) => {
      child.once("error", (cause) => {
        const message = `'${command}' can't be run in ${cwd}: ${messageOf(cause)}. Correct command or cwd.`;
        reject(new McpConnectionError(message, { cause, isFinal: true }));
      });
      child.once("spawn", () => {
        const exit = new Promise<void>((exited) => {
          child.once("exit", (code, signal) => {
            exited();
            const how = signal === null ? `It ended with exit code ${code}.` : `It ended by ${signal}.`;
            // Until its output is read; another process may hold it.
            const cancel = this.#options.clock.after(this.#options.limits.exitGraceMs, () =>
              this.#ended(how),
            );
            child.once("close", () => {
              cancel();
              this.#ended(how);
            });
          });
        });
        this.#running = { child, tree: processTree(child.pid ?? 0, mark), exit };
        resolve();
      });
    });
  }

  async send(message: Parameters<Transport["send"]>[0]): Promise<void> {
    const stdin = this.#running?.child.stdin;
    if (stdin === undefined || this.#end !== undefined) throw new Error(this.end ?? "It has not started.");
    await new Promise<void>((resolve, reject) => {
      stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  /** End stdin, then send SIGTERM, then SIGKILL: also to the processes that it started. */
  async close(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    const { child, tree, exit } = running;
    child.stdin.end();
    if (!(await this.#isWithinGrace(exit))) {
      tree.signal("SIGTERM");
      if (!(await this.#isWithinGrace(exit))) tree.signal("SIGKILL");
      await exit;
    }
    if (tree.isAlive()) tree.signal("SIGKILL");
    child.stdout.destroy();
    child.stderr.destroy();
  }

  #read(bytes: Buffer): void {
    let rest = bytes;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      const line = Buffer.concat([...this.#parts, rest.subarray(0, end)]).toString();
      this.#parts = [];
      rest = rest.subarray(end + 1);
      this.#deliver(line);
    }
    this.#parts.push(rest);
    const { messageBytes } = this.#options.limits;
    if (this.#parts.reduce((sum, { length }) => sum + length, 0) <= messageBytes) return;
    this.#parts = [];
    this.#ended(`It sent a message that is too long: expected at most ${messageBytes} bytes.`);
    this.#running?.tree.signal("SIGKILL");
  }

  #deliver(line: string): void {
    let message: ReturnType<typeof deserializeMessage>;
    try {
      message = deserializeMessage(line);
    } catch (error) {
      // A line that is no message, such as a log on stdout.
      this.onerror?.(error instanceof Error ? error : new Error(messageOf(error)));
      return;
    }
    this.onmessage?.(message);
  }

  #ended(how: string): void {
    if (this.#end !== undefined) return;
    this.#end = how;
    this.onclose?.();
  }

  #isWithinGrace(exit: Promise<void>): Promise<boolean> {
    const { clock, limits } = this.#options;
    return new Promise((resolve) => {
      const cancel = clock.after(limits.exitGraceMs, () => resolve(false));
      void exit.then(() => {
        cancel();
        resolve(true);
      });
    });
  }
}
