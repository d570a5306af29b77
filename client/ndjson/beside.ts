import { RunningCommands } from "../view/bridge/running-commands.ts";
import type { CommandEvents } from "./command-events.ts";
import type { EventTask, ShownChange } from "./sources.ts";

/** Tells what commands write that were left to go on beside the agent: no rows do. */
export class Beside {
  readonly #running: RunningCommands;
  readonly #commands: CommandEvents;

  private constructor(running: RunningCommands, commands: CommandEvents) {
    this.#running = running;
    this.#commands = commands;
  }

  /** Before the first row is told. Undefined for a source that tells of rows alone. */
  static of({ log, snapshot: { context } }: EventTask, commands: CommandEvents): Beside | undefined {
    const { background, ask } = context;
    if (background === undefined) return undefined;
    const running = new RunningCommands(log, { background, ask });
    commands.expectBeside();
    for (const [callId, askId] of running.askIds) {
      const isLeft = background.some((command) => command.callId === callId);
      commands.known(askId, callId, isLeft);
    }
    return new Beside(running, commands);
  }

  /** What a commit tells, after its rows were told. */
  after({ commit }: ShownChange): void {
    for (const { askId, status, output, exitCode } of this.#running.after(commit)) {
      if (status === "output") this.#commands.besideWrote(askId, output ?? "");
      else this.#commands.besideEnded(askId, exitCode);
    }
  }
}
