import { stripVTControlCharacters } from "node:util";
import type { TerminalHandle } from "@agentclientprotocol/sdk/unstable";
import { waitUntil } from "../../actors/protocol/wait-until.ts";
import { within } from "../../actors/protocol/within.ts";
import type { Clock } from "../../ports/clock.ts";
import type { TerminalCommand } from "../../ports/editor.ts";
import type { CommandResult } from "../../ports/shell.ts";
import { formatError, ToolError } from "../../tools/error.ts";
import { cutMiddle } from "../../tools/text.ts";
import type { SessionClient } from "./session-client.ts";

export interface TerminalRunOptions {
  readonly command: TerminalCommand;
  readonly client: SessionClient;
  readonly clock: Clock;
  /** Called with the id of its terminal, once that is open. */
  readonly opened: (terminalId: string) => void;
  /** Report what the client did not do. */
  readonly report: (message: string) => void;
}

type Exit = Partial<Pick<CommandResult, "exitCode" | "signal">>;

/** Maximum bytes of the output. */
const OUTPUT_MAX_BYTES = 100_000;
/** Maximum time of an answer about a command that has ended, in milliseconds. */
const ANSWER_MAX_MS = 10_000;
/** Maximum time from a timeout or an abort to the result, in milliseconds. */
const STOP_MAX_MS = 4_000;

const NO_END = "[The editor did not report the end of this command: it may still run.]";
const NO_OUTPUT = "[The editor did not report the output of this command.]";
const CUT = "[... the beginning of the output is not kept ...]\n";

/** One command in a terminal of the client. It ends by itself, or is killed after an abort or a timeout. */
export class TerminalRun {
  readonly #options: TerminalRunOptions;
  readonly #expiry = new AbortController();
  /** Resolves at an abort or the timeout. */
  readonly #stopped: Promise<undefined>;
  readonly #cancelExpiry: () => void;

  constructor(options: TerminalRunOptions) {
    this.#options = options;
    const { clock, command } = options;
    this.#stopped = whenAborted(AbortSignal.any([command.signal, this.#expiry.signal]));
    const deadline = clock.now() + command.timeoutMs;
    this.#cancelExpiry = waitUntil(clock, deadline, () => this.#expiry.abort());
  }

  /** @throws ToolError `FAILED` for an error of the client, or once the connection has closed */
  async result(): Promise<CommandResult> {
    try {
      const run = this.#run();
      const ended = await Promise.race([run, this.#stopped]);
      const result = ended ?? (await this.#answer("end a command", run, STOP_MAX_MS)) ?? this.#unended();
      this.#options.command.output(result.output);
      return result;
    } catch (cause) {
      const message = `The editor did not run the command to its end, and it may still run: ${formatError(cause)}`;
      throw new ToolError("FAILED", message, { cause });
    } finally {
      this.#cancelExpiry();
    }
  }

  #unended(): CommandResult {
    return { output: NO_END, timedOut: this.#hasTimedOut };
  }

  get #hasTimedOut(): boolean {
    return this.#expiry.signal.aborted && !this.#options.command.signal.aborted;
  }

  async #run(): Promise<CommandResult> {
    const { client, opened } = this.#options;
    const terminal = await this.#open();
    opened(terminal.id);
    try {
      const exit = await this.#exitOf(terminal);
      const timedOut = this.#hasTimedOut;
      this.#cancelExpiry();
      return { ...exit, output: exit === undefined ? NO_END : await this.#outputOf(terminal), timedOut };
    } finally {
      // The client must have the call that shows the terminal before it is released.
      await this.#answer("read what it is shown", client.updates.flushed());
      void this.#answer("release a terminal", terminal.release());
    }
  }

  /** A command that was stopped before its terminal is open is killed once it is. */
  #open(): Promise<TerminalHandle> {
    const { client, command } = this.#options;
    return client.openTerminal({
      command: command.program,
      args: ["-c", command.command],
      cwd: command.cwd,
      env: command.withheldEnv.map((name) => ({ name, value: "" })),
      outputByteLimit: OUTPUT_MAX_BYTES,
    });
  }

  /** How the command ended by itself or was killed. Undefined: the client could not kill it. */
  async #exitOf(terminal: TerminalHandle): Promise<Exit | undefined> {
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
    return (await Promise.race([exit, this.#stopped])) ?? killed();
  }

  async #outputOf(terminal: TerminalHandle): Promise<string> {
    const answer = await this.#answer("report the output of a command", terminal.currentOutput());
    if (answer === undefined) return NO_OUTPUT;
    const text = stripVTControlCharacters(answer.output).replaceAll(/\r\n?/g, "\n");
    return `${answer.truncated ? CUT : ""}${cutMiddle(text, OUTPUT_MAX_BYTES)}`;
  }

  /** Undefined: it is an error or comes too late, which is reported. */
  async #answer<T>(what: string, answer: Promise<T>, maxMs = ANSWER_MAX_MS): Promise<T | undefined> {
    const { client, clock, report } = this.#options;
    try {
      return await within(clock, maxMs, answer);
    } catch (error) {
      if (!client.isClosed) report(`the client did not ${what}: ${formatError(error)}`);
      return undefined;
    }
  }
}

const whenAborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
