import { type ChildProcess, fork } from "node:child_process";
import type { z } from "zod";
import { type Ask, Reply } from "./command.ts";

interface Waiter {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Runs as it was loaded: compiled in plain Node, source through tsx. */
const SELF = import.meta.url;
const ENTRY = new URL(SELF.endsWith(".ts") ? "../child.ts" : "../child.js", SELF);
const LOADER = SELF.endsWith(".ts") ? ["--import", "tsx"] : [];

/** A process of its own that holds one side of a bench and nothing else. */
export class Child {
  readonly #process: ChildProcess;
  readonly #waiters = new Map<number, Waiter>();
  readonly #gone: Promise<void>;
  #asked = 0;

  constructor(role: string, execArgv: readonly string[] = []) {
    this.#process = fork(ENTRY, [role], { execArgv: [...LOADER, ...execArgv] });
    this.#process.on("message", (message) => this.#hear(message));
    this.#gone = new Promise((resolve) => {
      this.#process.on("exit", (code, signal) => {
        const error = new Error(`The ${role} process ended early (${code ?? signal}).`);
        for (const { reject } of this.#waiters.values()) reject(error);
        this.#waiters.clear();
        resolve();
      });
    });
  }

  /** Tells it to do something, and resolves with the result. */
  async call<TSchema extends z.ZodType>(
    command: string,
    args: unknown,
    schema: TSchema,
  ): Promise<z.output<TSchema>> {
    this.#asked += 1;
    const id = this.#asked;
    const ask: z.infer<typeof Ask> = { id, command, args };
    const result = new Promise<unknown>((resolve, reject) => this.#waiters.set(id, { resolve, reject }));
    this.#process.send(ask);
    return schema.parse(await result);
  }

  async end(): Promise<void> {
    if (this.#process.connected) this.#process.disconnect();
    await this.#gone;
  }

  #hear(message: unknown): void {
    const { id, result, error } = Reply.parse(message);
    const waiter = this.#waiters.get(id);
    this.#waiters.delete(id);
    if (error === undefined) waiter?.resolve(result);
    else waiter?.reject(new Error(error));
  }
}

/** A process for as long as `work` takes. */
export async function inChild<T>(
  role: string,
  work: (child: Child) => Promise<T>,
  execArgv: readonly string[] = [],
): Promise<T> {
  const child = new Child(role, execArgv);
  try {
    return await work(child);
  } finally {
    await child.end();
  }
}
