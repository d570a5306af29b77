import { RunningCommands } from "../../bridge/running-commands.ts";
import type { CommandEvents } from "./command-events.ts";
import type { EventTask, TaskChange } from "./event-sources.ts";

/** Emits the output of background commands, which appears in no message. */
export class BackgroundOutput {
  readonly #running: RunningCommands;
  readonly #commands: CommandEvents;

  private constructor(running: RunningCommands, commands: CommandEvents) {
    this.#running = running;
    this.#commands = commands;
  }

  /** Create it before the first message is read. Undefined for a source without background commands. */
  static of(
    { log, snapshot: { context } }: EventTask,
    commands: CommandEvents,
  ): BackgroundOutput | undefined {
    const { background, ask } = context;
    if (background === undefined) return undefined;
    const running = new RunningCommands(log, { background, ask });
    commands.expectBackgroundOutput();
    for (const [callId, askId] of running.askIds) {
      const isBackground = background.some((command) => command.callId === callId);
      commands.add(askId, callId, isBackground);
    }
    return new BackgroundOutput(running, commands);
  }

  /** Read a commit, after its messages were read. */
  read({ commit }: TaskChange): void {
    for (const { askId, status, output, exitCode } of this.#running.apply(commit)) {
      if (status === "output") this.#commands.appendBackgroundOutput(askId, output ?? "");
      else this.#commands.endBackgroundCommand(askId, exitCode);
    }
  }
}
