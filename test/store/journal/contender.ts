import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { z } from "zod";
import type { CrashPoint } from "../../../testing/index.ts";
import { program } from "../../support/program.ts";

/** Command to a contender: write to a journal with several drivers, close them, or write with a driver that crashes. */
export const commandSchema = z.discriminatedUnion("do", [
  z.object({ do: z.literal("contend"), dir: z.string(), drivers: z.number() }),
  z.object({ do: z.literal("close") }),
  z.object({
    do: z.literal("crash"),
    dir: z.string(),
    at: z.object({ record: z.number(), byte: z.number() }),
    lines: z.array(z.string()),
  }),
]);
type Command = z.infer<typeof commandSchema>;

const resultSchema = z.discriminatedUnion("won", [
  z.object({ won: z.literal(true), pid: z.number() }),
  z.object({ won: z.literal(false), pid: z.number(), code: z.string(), message: z.string() }),
]);
/** Result of one driver. */
export type Result = z.infer<typeof resultSchema>;

/** A child process that writes to journals. */
export class Contender {
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#process = child;
  }

  static async start(): Promise<Contender> {
    const child = fork(await program(new URL("./contender.child.ts", import.meta.url)));
    await once(child, "message");
    return new Contender(child);
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  contend(dir: string, drivers = 1): Promise<readonly Result[]> {
    return this.#send({ do: "contend", dir, drivers });
  }

  async close(): Promise<void> {
    await this.#send({ do: "close" });
  }

  /** Write lines until the crash. Resolves with the signal that terminated the process. */
  async crash(dir: string, at: CrashPoint, lines: readonly string[]): Promise<string> {
    const exited = once(this.#process, "exit");
    this.#process.send({ do: "crash", dir, at, lines: [...lines] } satisfies Command);
    const [, signal] = await exited;
    return String(signal);
  }

  /** Terminate the process as a crash does. */
  async kill(): Promise<void> {
    const exited = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await exited;
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, "exit");
    this.#process.disconnect();
    await exited;
  }

  async #send(command: Command): Promise<readonly Result[]> {
    const response = once(this.#process, "message");
    this.#process.send(command);
    const [results] = await response;
    return z.array(resultSchema).parse(results);
  }
}
