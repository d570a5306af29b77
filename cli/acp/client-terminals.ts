import { stripVTControlCharacters } from "node:util";
import type { TerminalHandle } from "@agentclientprotocol/sdk/unstable";
import { Subject } from "rxjs";
import { type Clock, waitUntil, within } from "../../actors/protocol/index.ts";
import {
  type CommandResult,
  cutMiddle,
  formatError,
  type TerminalCommand,
  ToolError,
} from "../../tools/index.ts";
import type { SessionClient } from "./session-client.ts";

/** A terminal of the client, and the tool call whose command runs in it. */
export interface OpenTerminal {
  readonly taskId: string;
  readonly callId: string;
  readonly terminalId: string;
}

export interface ClientTerminalsOptions {
  readonly client: SessionClient;
  readonly clock: Clock;
  /** Report what the client did not do. */
  readonly report: (message: string) => void;
}

type Exit = Partial<Pick<CommandResult, "exitCode" | "signal">>;

/** Maximum bytes of the output of a command. */
const OUTPUT_MAX_BYTES = 100_000;
/** Maximum time of each answer about a command that has ended or is killed, in milliseconds. */
const ANSWER_MAX_MS = 1_500;

const NO_END = "[The editor did not report the end of this command: it may still run.]";
const NO_OUTPUT = "[The editor did not report the output of this command.]";
const CUT = "[... the beginning of the output is not kept ...]\n";

/** Runs the commands of a session in terminals of its client: see `EditorPort.runCommand`. */
export class ClientTerminals {
  readonly #options: ClientTerminalsOptions;
  readonly #running = new Set<Promise<CommandResult>>();
  readonly #opened = new Subject<OpenTerminal>();
  /** Each terminal, once it is open. */
  readonly opened$ = this.#opened.asObservable();

  constructor(options: ClientTerminalsOptions) {
    this.#options = options;
  }

  /** Resolves when the commands that run now have ended. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  /** @throws ToolError `failed` for an error of the client, or once the connection has closed */
  readonly run = (command: TerminalCommand): Promise<CommandResult> => {
    const running = this.#run(command).finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  };

  async #run(command: TerminalCommand): Promise<CommandResult> {
    const { clock } = this.#options;
    const expiry = new AbortController();
    const cancelExpiry = waitUntil(clock, clock.now() + command.timeoutMs, () => expiry.abort());
    const stopped = whenAborted(AbortSignal.any([command.signal, expiry.signal]));
    const isExpired = (): boolean => expiry.signal.aborted && !command.signal.aborted;
    try {
      const terminal = await this.#open(command, stopped);
      if (terminal === undefined) return { output: NO_END, timedOut: isExpired() };
      const exit = await this.#exitOf(terminal, stopped);
      cancelExpiry();
      const timedOut = isExpired();
      const output = exit === undefined ? NO_END : await this.#outputOf(terminal);
      command.output(output);
      await this.#release(terminal);
      return { ...exit, output, timedOut };
    } catch (cause) {
      const message = `The editor did not run the command to its end, and it may still run: ${formatError(cause)}`;
      throw new ToolError("failed", message, { cause });
    } finally {
      cancelExpiry();
    }
  }

  /** Undefined: the command was stopped before. Then a terminal that opens late is closed. */
  async #open(
    { taskId, callId, program, command, cwd, withheldEnv }: TerminalCommand,
    stopped: Promise<undefined>,
  ): Promise<TerminalHandle | undefined> {
    const opening = this.#options.client.openTerminal({
      command: program,
      args: ["-c", command],
      cwd,
      env: withheldEnv.map((name) => ({ name, value: "" })),
      outputByteLimit: OUTPUT_MAX_BYTES,
    });
    const terminal = await Promise.race([opening, stopped]);
    if (terminal === undefined)
      void opening.then((late) => this.#closeLate(late), this.#report("open a terminal"));
    else this.#opened.next({ taskId, callId, terminalId: terminal.id });
    return terminal;
  }

  /** How the command ended by itself or was killed. Undefined: the client did not kill it in time. */
  async #exitOf(terminal: TerminalHandle, stopped: Promise<undefined>): Promise<Exit | undefined> {
    const exit = terminal.waitForExit().then(
      ({ exitCode, signal }): Exit => ({
        ...(exitCode != null && { exitCode }),
        ...(signal != null && { signal }),
      }),
    );
    const killed = () =>
      this.#answer(
        "kill a command",
        terminal.kill().then(() => exit),
      );
    return (await Promise.race([exit, stopped])) ?? killed();
  }

  async #outputOf(terminal: TerminalHandle): Promise<string> {
    const answer = await this.#answer("report the output of a command", terminal.currentOutput());
    if (answer === undefined) return NO_OUTPUT;
    const text = stripVTControlCharacters(answer.output).replaceAll(/\r\n?/g, "\n");
    return `${answer.truncated ? CUT : ""}${cutMiddle(text, OUTPUT_MAX_BYTES)}`;
  }

  /** The client must have the call that shows the terminal before it is released. */
  async #release(terminal: TerminalHandle): Promise<void> {
    await this.#answer("read what it is shown", this.#options.client.updates.flushed());
    void this.#answer("release a terminal", terminal.release());
  }

  async #closeLate(terminal: TerminalHandle): Promise<void> {
    await this.#answer("kill a command", terminal.kill());
    await this.#answer("release a terminal", terminal.release());
  }

  /** Undefined: it is an error or comes too late, which is reported. */
  async #answer<T>(what: string, answer: Promise<T>): Promise<T | undefined> {
    try {
      return await within(this.#options.clock, ANSWER_MAX_MS, answer);
    } catch (error) {
      this.#report(what)(error);
      return undefined;
    }
  }

  #report(what: string): (error: unknown) => void {
    const { client, report } = this.#options;
    return (error) => {
      if (!client.isClosed) report(`the client did not ${what}: ${formatError(error)}`);
    };
  }
}

const whenAborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
