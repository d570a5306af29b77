import { Subject } from "rxjs";
import type { Clock } from "../../ports/clock.ts";
import type { TerminalCommand } from "../../ports/editor.ts";
import type { CommandResult } from "../../ports/shell.ts";
import type { SessionClient } from "./session-client.ts";
import { TerminalRun } from "./terminal-run.ts";

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

  /** @throws ToolError `FAILED` for an error of the client, or once the connection has closed */
  readonly run = (command: TerminalCommand): Promise<CommandResult> => {
    const { taskId, callId } = command;
    const opened = (terminalId: string): void => this.#opened.next({ taskId, callId, terminalId });
    const client = this.#options.client.sessionOf(taskId);
    const running = new TerminalRun({ ...this.#options, client, command, opened })
      .result()
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  };
}
