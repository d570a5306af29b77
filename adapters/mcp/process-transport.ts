import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { deserializeMessage, serializeMessage, type Transport } from "@modelcontextprotocol/client";
import { getDefaultEnvironment } from "@modelcontextprotocol/client/stdio";
import type { Clock } from "../../ports/clock.ts";
import { messageOf } from "../../tools/error.ts";
import { terminalText } from "../../tools/terminal-text.ts";
import { CommandSandbox } from "../sandbox/command-sandbox.ts";
import { OutputEnd } from "../shell/output-end.ts";
import { type ProcessTree, processTree } from "../shell/process-tree.ts";
import { prepareProcess, type ReadyProcess, startUntilEntered } from "../shell/start-process.ts";
import { McpConnectionError } from "./connection.ts";
import { LongMessage, tooLong } from "./long-message.ts";
import type { McpLimits, McpProcess } from "./options.ts";

/** Bytes of the end of stderr that an error quotes. */
const STDERR_KEPT = 2_000;
const NEWLINE = 0x0a;

/** A process that was started. */
interface Running {
  readonly child: ChildProcess;
  readonly tree: ProcessTree;
  readonly exit: Promise<void>;
  /** Resolves when its sandbox, if any, has started. Pending where that fails. */
  readonly entered: Promise<void>;
  /** Resolves when its output is read, and what was made for it is removed: with whether it must be started again. */
  readonly left: Promise<boolean>;
}

export interface ProcessTransportOptions {
  readonly clock: Clock;
  readonly cwd: string;
  readonly limits: Pick<McpLimits, "exitGraceMs" | "messageBytes" | "discardedBytes">;
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
  /** Aborted by `close`: no other process starts then. */
  readonly #closing = new AbortController();
  #spawned: Promise<Running> | undefined;
  #running: Running | undefined;
  /** The parts of a line whose end has not come. */
  #parts: Buffer[] = [];
  #partsSize = 0;
  /** A line that is too long, until it ends. */
  #long: LongMessage | undefined;
  #stderr = new OutputEnd(STDERR_KEPT);
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
    const text = terminalText(this.#stderr.text).trim();
    return this.#end === undefined || text === "" ? this.#end : `${this.#end} Its stderr ends with: ${text}`;
  }

  /** @throws McpConnectionError if it can't be started */
  async start(): Promise<void> {
    await startUntilEntered(
      () => this.#startOnce(),
      (cause) => new McpConnectionError(messageOf(cause), { cause, isFinal: false }),
    );
  }

  /** Undefined: its sandbox must be prepared again. */
  async #startOnce(): Promise<Running | undefined> {
    this.#closing.signal.throwIfAborted();
    this.#spawned = this.#spawn();
    const running = await this.#spawned;
    this.#running = running;
    const isOutdated = await Promise.race([running.entered.then(() => false), running.left]);
    return isOutdated ? undefined : running;
  }

  async #spawn(): Promise<Running> {
    const { cwd = this.#options.cwd } = this.#server;
    const mark = randomUUID();
    const ready = await this.#prepare(cwd, mark);
    const child = ready.start(["pipe", "pipe", "pipe"]);
    child.stdout?.on("data", (bytes: Buffer) => this.#read(bytes));
    const stderr = new OutputEnd(STDERR_KEPT);
    this.#stderr = stderr;
    child.stderr?.on("data", (bytes: Buffer) => stderr.add(bytes));
    // A write to a process that has ended: its exit is reported.
    child.stdin?.on("error", (error) => this.onerror?.(error));
    const exit = new Promise<void>((exited) => child.once("exit", () => exited()));
    const left = this.#leftBy(child, ready);
    const { entered } = ready;
    return new Promise((resolve, reject) => {
      child.once("error", (cause) => reject(this.#notStarted(cause, cwd)));
      child.once("spawn", () => {
        const tree = processTree(child.pid ?? 0, mark);
        if (ready.leavesProcesses) child.once("exit", () => tree.signal("SIGKILL"));
        resolve({ child, tree, exit, entered, left });
      });
    });
  }

  async #prepare(cwd: string, mark: string): Promise<ReadyProcess> {
    const { command, args = [], env, sandbox } = this.#server;
    const call = { program: command, args, cwd, env: { ...getDefaultEnvironment(), ...env } };
    try {
      const contained = sandbox && new CommandSandbox(sandbox, this.#options.cwd);
      return await prepareProcess(call, mark, contained);
    } catch (cause) {
      throw this.#notStarted(cause, cwd);
    }
  }

  #notStarted(cause: unknown, cwd: string): McpConnectionError {
    const message = `'${this.#server.command}' can't be run in ${cwd}: ${messageOf(cause)}. Correct command or cwd.`;
    return new McpConnectionError(message, { cause, isFinal: true });
  }

  /** Resolves when a process has ended and its output is read: with whether its sandbox must be prepared again to start it. */
  async #leftBy(child: ChildProcess, ready: ReadyProcess): Promise<boolean> {
    const how = await this.#endOf(child);
    const isOutdated = ready.isOutdated();
    const blocked = await ready.leave(this.#stderr.text);
    if (how !== undefined && !isOutdated) this.#ended(blocked === undefined ? how : `${how} ${blocked}`);
    return isOutdated;
  }

  /** How a process ended; undefined for one that could not be started. */
  #endOf(child: ChildProcess): Promise<string | undefined> {
    return new Promise((resolve) => {
      child.once("error", () => resolve(undefined));
      child.once("exit", (code, signal) => {
        const how = signal === null ? `It ended with exit code ${code}.` : `It ended by ${signal}.`;
        // Until its output is read; another process may hold it.
        const cancel = this.#options.clock.after(this.#options.limits.exitGraceMs, () => resolve(how));
        child.once("close", () => {
          cancel();
          resolve(how);
        });
      });
    });
  }

  async send(message: Parameters<Transport["send"]>[0]): Promise<void> {
    const stdin = this.#running?.child.stdin;
    if (stdin == null || this.#end !== undefined) throw new Error(this.end ?? "It has not started.");
    await new Promise<void>((resolve, reject) => {
      stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  /** End stdin, then send SIGTERM, then SIGKILL: also to the processes that it started. */
  async close(): Promise<void> {
    this.#closing.abort(new McpConnectionError("It was closed as it started.", { isFinal: true }));
    // One that is being prepared starts first. Its caller gets the error of a start that fails.
    const running = await this.#spawned?.catch(() => undefined);
    if (running === undefined) return;
    const { child, tree, exit, left } = running;
    child.stdin?.end();
    if (!(await this.#isWithinGrace(exit))) {
      tree.signal("SIGTERM");
      if (!(await this.#isWithinGrace(exit))) tree.signal("SIGKILL");
      await exit;
    }
    if (tree.isAlive()) tree.signal("SIGKILL");
    child.stdout?.destroy();
    child.stderr?.destroy();
    await left;
  }

  #read(bytes: Buffer): void {
    let rest = bytes;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      this.#add(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      this.#endLine();
    }
    this.#add(rest);
    const { discardedBytes } = this.#options.limits;
    if ((this.#long?.size ?? 0) <= discardedBytes) return;
    this.#long = undefined;
    this.#ended(`It sent a message without end: expected at most ${discardedBytes} bytes.`);
    this.#running?.tree.signal("SIGKILL");
  }

  /** Add a part of a line. One that is too long is not kept, but for what responds to its request. */
  #add(bytes: Buffer): void {
    if (this.#long !== undefined) {
      this.#long.add(bytes);
      return;
    }
    this.#parts.push(bytes);
    this.#partsSize += bytes.length;
    if (this.#partsSize <= this.#options.limits.messageBytes) return;
    this.#long = new LongMessage();
    for (const part of this.#takeParts()) this.#long.add(part);
  }

  #endLine(): void {
    const long = this.#long;
    this.#long = undefined;
    if (long === undefined) this.#deliver(Buffer.concat(this.#takeParts()).toString());
    else this.#refuse(long);
  }

  #takeParts(): readonly Buffer[] {
    const parts = this.#parts;
    this.#parts = [];
    this.#partsSize = 0;
    return parts;
  }

  /** The request of a message that is too long ends with an error, and the server goes on. */
  #refuse({ size, responseId }: LongMessage): void {
    const { messageBytes } = this.#options.limits;
    if (responseId !== undefined) this.onmessage?.(tooLong(responseId, size, messageBytes));
    else
      this.onerror?.(
        new Error(`Expected messages of at most ${messageBytes} bytes, got one of ${size}: it was not read.`),
      );
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
