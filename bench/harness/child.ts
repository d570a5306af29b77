import { type ChildProcess, fork } from "node:child_process";
import type { z } from "zod";
import { type Call, Reply } from "./command.ts";

interface Waiter {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The child runs like this module: compiled code in Node, source code with tsx. */
const SELF = import.meta.url;
const ENTRY = new URL(SELF.endsWith(".ts") ? "../child.ts" : "../child.js", SELF);
const LOADER = SELF.endsWith(".ts") ? ["--import", "tsx"] : [];

/** A child process that runs one side of a bench. */
export class Child {
  readonly #process: ChildProcess;
  readonly #waiters = new Map<number, Waiter>();
  readonly #exited: Promise<void>;
  #lastId = 0;

  constructor(role: string, execArgv: readonly string[] = [], entry: string | URL = ENTRY) {
    this.#process = fork(entry, [role], { execArgv: [...LOADER, ...execArgv] });
    this.#process.on("message", (message) => this.#receive(message));
    this.#exited = new Promise((resolve) => {
      this.#process.on("exit", (code, signal) => {
        const error = new Error(`The ${role} process ended early (${code ?? signal}).`);
        for (const { reject } of this.#waiters.values()) reject(error);
        this.#waiters.clear();
        resolve();
      });
    });
  }

  /** Run a command in the process, and resolve with its result. */
  async call<TSchema extends z.ZodType>(
    command: string,
    args: unknown,
    schema: TSchema,
  ): Promise<z.output<TSchema>> {
    this.#lastId += 1;
    const id = this.#lastId;
    const call: z.infer<typeof Call> = { id, command, args };
    const result = new Promise<unknown>((resolve, reject) => this.#waiters.set(id, { resolve, reject }));
    this.#process.send(call);
    return schema.parse(await result);
  }

  async end(): Promise<void> {
    if (this.#process.connected) this.#process.disconnect();
    await this.#exited;
  }

  #receive(message: unknown): void {
    const { id, result, error } = Reply.parse(message);
    const waiter = this.#waiters.get(id);
    this.#waiters.delete(id);
    if (error === undefined) waiter?.resolve(result);
    else waiter?.reject(new Error(error));
  }
}

/** Run `work` with a child process, and end the process. `entry`: the compiled child module of another version. */
export async function withChild<T>(
  role: string,
  work: (child: Child) => Promise<T>,
  execArgv: readonly string[] = [],
  entry?: string,
): Promise<T> {
  const child = new Child(role, execArgv, entry);
  try {
    return await work(child);
  } finally {
    await child.end();
  }
}
