import { type ChildProcess, fork } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { type Usage, type WorkerInput, WorkerReport, type WorkerRequest } from "./worker-input.ts";

/** Time without a report after which a measurement fails, in ms. */
const DEADLINE_MS = 90_000;

type Type = WorkerReport["type"];

/** The processes of one measurement. It fails if one of them ends or reports an error. */
export class Processes {
  readonly #file: string;
  readonly #children = new Map<ChildProcess, Map<Type, WorkerReport>>();
  readonly #reports = new EventEmitter().setMaxListeners(0);
  readonly #failed = new AbortController();

  /** @param file The built program of a process. */
  constructor(file: string) {
    this.#file = file;
  }

  /** Start a process. Resolves when it has loaded its modules, and waits for `go`. */
  async start(input: WorkerInput): Promise<ChildProcess> {
    const child = fork(this.#file, [JSON.stringify(input)], {
      cwd: input.workspace,
      execArgv: ["--expose-gc"],
    });
    this.#children.set(child, new Map());
    child.on("message", (message) => this.#take(child, WorkerReport.parse(message)));
    child.on("error", (error) => this.#failed.abort(error));
    child.on("exit", (code, signal) => {
      if (this.#children.has(child))
        this.#failed.abort(new Error(`A process ended early, with code ${code ?? signal}.`));
    });
    await this.until(() => this.report(child, "loaded") !== undefined);
    return child;
  }

  request(child: ChildProcess, request: WorkerRequest): void {
    child.send(request);
  }

  async usage(child: ChildProcess): Promise<Usage> {
    const earlier = this.report(child, "usage");
    this.request(child, "usage");
    await this.until(() => this.report(child, "usage") !== earlier);
    const usage = this.report(child, "usage");
    if (usage === undefined) throw new Error("Expected a report of the usage.");
    return usage;
  }

  /** The last report of a type, if there was one. */
  report<T extends Type>(child: ChildProcess, type: T): Extract<WorkerReport, { type: T }> | undefined {
    const report = this.#children.get(child)?.get(type);
    return isOfType(report, type) ? report : undefined;
  }

  /** Resolves when the condition holds. @throws the error of a process */
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      const signal = this.#failureOrDeadline();
      signal.throwIfAborted();
      await once(this.#reports, "report", { signal });
    }
  }

  /** The number of tasks of all processes. */
  count(type: "begun" | "ended"): number {
    return [...this.#children.keys()].reduce((sum, child) => sum + this.countOf(child, type), 0);
  }

  countOf(child: ChildProcess, type: "begun" | "ended"): number {
    const report = this.#children.get(child)?.get(type);
    return report !== undefined && "tasks" in report ? report.tasks : 0;
  }

  /** Drain a worker, and wait until its process has ended. */
  async stop(child: ChildProcess): Promise<void> {
    this.#children.delete(child);
    const exit = once(child, "exit", { signal: this.#failureOrDeadline() });
    this.request(child, "stop");
    await exit;
  }

  /** Kill a process. */
  async kill(child: ChildProcess): Promise<void> {
    this.#children.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }

  async killAll(): Promise<void> {
    for (const child of [...this.#children.keys()]) await this.kill(child);
  }

  #failureOrDeadline(): AbortSignal {
    return AbortSignal.any([this.#failed.signal, AbortSignal.timeout(DEADLINE_MS)]);
  }

  #take(child: ChildProcess, report: WorkerReport): void {
    if (report.type === "failed") this.#failed.abort(new Error(report.message));
    this.#children.get(child)?.set(report.type, report);
    this.#reports.emit("report");
  }
}

const isOfType = <T extends Type>(
  report: WorkerReport | undefined,
  type: T,
): report is Extract<WorkerReport, { type: T }> => report?.type === type;
