import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { z } from "zod";
import type { CrashPoint } from "../../../testing/index.ts";

/**
 * What a contender is told: to write to the journal in `dir` with so many drivers at once, to close them all, or
 * to write lines with a driver that crashes.
 */
export const orderSchema = z.discriminatedUnion("do", [
  z.object({ do: z.literal("contend"), dir: z.string(), drivers: z.number() }),
  z.object({ do: z.literal("close") }),
  z.object({
    do: z.literal("crash"),
    dir: z.string(),
    at: z.object({ record: z.number(), byte: z.number() }),
    lines: z.array(z.string()),
  }),
]);
type Order = z.infer<typeof orderSchema>;

const endSchema = z.discriminatedUnion("won", [
  z.object({ won: z.literal(true), pid: z.number() }),
  z.object({ won: z.literal(false), pid: z.number(), code: z.string(), message: z.string() }),
]);
/** How it went for one driver. */
export type End = z.infer<typeof endSchema>;

/** Another process that writes to journals. */
export class Contender {
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#process = child;
  }

  static async start(): Promise<Contender> {
    const child = fork(new URL("./contender.child.ts", import.meta.url), { execArgv: ["--import", "tsx"] });
    await once(child, "message");
    return new Contender(child);
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  contend(dir: string, drivers = 1): Promise<readonly End[]> {
    return this.#tell({ do: "contend", dir, drivers });
  }

  async close(): Promise<void> {
    await this.#tell({ do: "close" });
  }

  /** Writes lines until the crash, and tells the signal that ended it. */
  async crash(dir: string, at: CrashPoint, lines: readonly string[]): Promise<string> {
    const gone = once(this.#process, "exit");
    this.#process.send({ do: "crash", dir, at, lines: [...lines] } satisfies Order);
    const [, signal] = await gone;
    return String(signal);
  }

  /** Ends it as a crash does, and waits until it is gone. */
  async kill(): Promise<void> {
    const gone = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await gone;
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const gone = once(this.#process, "exit");
    this.#process.disconnect();
    await gone;
  }

  async #tell(order: Order): Promise<readonly End[]> {
    const answered = once(this.#process, "message");
    this.#process.send(order);
    const [ends] = await answered;
    return z.array(endSchema).parse(ends);
  }
}
