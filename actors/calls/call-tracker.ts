import type { BackgroundCommand, EffectResult, OutputRest } from "../../machines/task/task.events.ts";
import type { Shell } from "../../ports/shell.ts";
import { type CommandLimits, CommandTracker } from "./command-tracker.ts";
import type { CallCommands, CallOutcomes, CallReports, StoppedEffects } from "./roles.ts";
import { type EndedCall, StartedCalls, type StartedCallsOptions } from "./started-calls.ts";
import { UnsentOutput, type UnsentOutputOptions } from "./unsent-output.ts";

export interface CallTrackerOptions extends StartedCallsOptions, UnsentOutputOptions, CommandLimits {}

/**
 * Owns what this process knows of the tool calls of one task: their results, also after a stop (L10, L12), their output and
 * their commands. An actor gets one role of it. Lost with the process.
 */
export class CallTracker implements CallReports, CallOutcomes, StoppedEffects {
  readonly #options: CallTrackerOptions;
  readonly #calls: StartedCalls;
  /** A task at rest may have neither output nor commands. */
  #unsent: UnsentOutput | undefined;
  #commands: CommandTracker | undefined;

  constructor(options: CallTrackerOptions) {
    this.#options = options;
    this.#calls = new StartedCalls(options);
  }

  callPlanned(callId: string): void {
    this.#calls.planned(callId);
  }

  /** @throws RepeatedEffectError */
  callStarted(callId: string): void {
    this.#calls.started(callId);
  }

  callPrinted(callId: string, text: string): void {
    this.#unsent ??= new UnsentOutput(this.#options);
    this.#unsent.add(callId, text);
  }

  callStopped(callId: string): void {
    this.#calls.stopped(callId);
  }

  callEnded(call: Omit<EndedCall, "stopped">): readonly OutputRest[] {
    this.#calls.ended(call);
    return this.#unsent?.end(call.callId) ?? [];
  }

  commandsOf(callId: string, shell: Shell): CallCommands {
    this.#commands ??= new CommandTracker({
      ...this.#options,
      onRead: (id) => this.#unsent?.markSent(id),
    });
    return { shell: this.#commands.shellOf(callId, shell), commands: this.#commands };
  }

  resultsOf(callIds: readonly string[], deadlineMs?: number): Promise<readonly EffectResult[]> {
    return this.#calls.resultsOf(callIds, deadlineMs);
  }

  unsentOutput(callId: string, newest: string | undefined): string {
    return this.#unsent?.of(callId, newest) ?? "";
  }

  outputOffered(callId: string, environment: string): void {
    this.#unsent?.offered(callId, environment);
  }

  leftCommands(): readonly BackgroundCommand[] {
    return this.#commands?.left ?? [];
  }

  quiesce(deadlineMs?: number): Promise<void> {
    return this.#calls.quiesce(deadlineMs);
  }

  workStopped(work: Promise<unknown>): void {
    this.#calls.workStopped(work);
  }
}
