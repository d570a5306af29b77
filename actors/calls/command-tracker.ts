import type { BackgroundCommand } from "../../machines/task/task.events.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CommandReport, Commands, CommandWait } from "../../ports/commands.ts";
import type { Shell } from "../../ports/shell.ts";
import { TrackedCommand } from "./tracked-command.ts";

export interface CommandLimits {
  /** Maximum characters of output that are kept per command: its end. Default 100,000. */
  readonly outputChars?: number;
  /** Maximum number of ended commands that can still be read. Default 16. */
  readonly endedCommands?: number;
  /** Longest wait for the end of a command that is terminated, in milliseconds. Default 10,000. */
  readonly stopTimeoutMs?: number;
}

export interface CommandTrackerOptions extends CommandLimits {
  readonly clock: Clock;
  /** Called when a call has read the output of a command. */
  readonly onRead: (callId: string) => void;
}

type RunOptions = Parameters<Shell["run"]>[0];

/** The commands of a task that this process started. Lost with the process. */
export class CommandTracker implements Commands {
  readonly #options: CommandTrackerOptions;
  /** By the ids of their calls. Ended ones in the order of their ends. */
  readonly #commands = new Map<string, TrackedCommand>();

  constructor(options: CommandTrackerOptions) {
    this.#options = options;
  }

  get running(): readonly string[] {
    return [...this.#commands].flatMap(([id, command]) => (command.hasEnded ? [] : [id]));
  }

  /** The commands that have ended and left a process behind that still runs, oldest first. */
  get left(): readonly BackgroundCommand[] {
    return [...this.#commands].flatMap(([callId, { command, hasLeft }]) =>
      hasLeft ? { callId, command } : [],
    );
  }

  /** The shell of one call. What it runs can be read by the id of the call. */
  shellOf(callId: string, shell: Shell): Shell {
    return { program: shell.program, run: (options) => this.#run(callId, shell, options) };
  }

  async read(id: string, wait: CommandWait): Promise<CommandReport | undefined> {
    return this.#commands.get(id)?.read(wait);
  }

  async stop(id: string, signal: AbortSignal): Promise<CommandReport | undefined> {
    const command = this.#commands.get(id);
    command?.stop();
    return command?.read({ timeoutMs: this.#options.stopTimeoutMs ?? 10_000, signal });
  }

  async #run(callId: string, shell: Shell, options: RunOptions): ReturnType<Shell["run"]> {
    const { clock, onRead, outputChars = 100_000 } = this.#options;
    const command = new TrackedCommand({
      clock,
      command: options.command,
      outputChars,
      onRead: () => onRead(callId),
    });
    this.#commands.set(callId, command);
    try {
      const end = await shell.run({
        ...options,
        callId,
        signal: AbortSignal.any([options.signal, command.stopped]),
        output(text) {
          options.output(text);
          command.add(text);
        },
      });
      command.end(end);
      this.#keep(callId, command);
      return end;
    } catch (error) {
      // It did not start.
      this.#commands.delete(callId);
      throw error;
    }
  }

  /** Ended commands are dropped in the order of their ends. */
  #keep(callId: string, command: TrackedCommand): void {
    this.#commands.delete(callId);
    this.#commands.set(callId, command);
    let over = this.#commands.size - this.running.length - (this.#options.endedCommands ?? 16);
    for (const [id, { hasEnded }] of this.#commands) {
      if (over <= 0) return;
      if (!hasEnded) continue;
      this.#commands.delete(id);
      over -= 1;
    }
  }
}
