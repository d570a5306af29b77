import type { JsonEventEmitter } from "../../client/roo/ndjson/json-event-emitter.ts";
import type { Proposal } from "../../machines/tool-call/call.ts";
import type { StdinCommand, StdinCommandName } from "../../wire/ndjson/command.ts";

type ControlledCommand = Pick<StdinCommand, "requestId"> & { readonly command: StdinCommandName };

interface Outcome {
  readonly subtype: "ack" | "done" | "error";
  readonly code: string;
  readonly content: string;
  readonly success: boolean;
  readonly askId?: number;
  readonly proposal?: Proposal;
}

/** Emits the control events of commands: ack, then done or error. */
export class ControlEvents {
  readonly #emitter: JsonEventEmitter;
  readonly #taskId: () => string | undefined;

  /** @param taskId id of the current task */
  constructor(emitter: JsonEventEmitter, taskId: () => string | undefined) {
    this.#emitter = emitter;
    this.#taskId = taskId;
  }

  ack(command: ControlledCommand, content: string, taskId?: string): void {
    this.#emit(command, { subtype: "ack", code: "accepted", content, success: true }, taskId);
  }

  done(command: ControlledCommand, code: string, content: string, success = true): void {
    this.#emit(command, { subtype: "done", code, content, success }, this.#taskId());
  }

  /** The answer to the command `proposal`. */
  proposal(command: ControlledCommand, proposal: Proposal, askId: number): void {
    const event = {
      subtype: "done",
      code: "proposal",
      content: `a ${proposal.kind} proposal`,
      success: true,
    } as const;
    this.#emit(command, { ...event, askId, proposal }, this.#taskId());
  }

  error(command: ControlledCommand, code: string, content: string, taskId = this.#taskId()): void {
    this.#emit(command, { subtype: "error", code, content, success: false }, taskId);
  }

  /** A failure that was caused by no command. */
  failure(content: string, requestId: string | undefined): void {
    const event = { subtype: "error", code: "client_error", content, success: false } as const;
    this.#emit(requestId === undefined ? {} : { requestId }, event, this.#taskId());
  }

  #emit(command: Partial<ControlledCommand>, event: Outcome, taskId: string | undefined): void {
    const { command: name, requestId } = command;
    this.#emitter.emitControl({
      ...event,
      ...(requestId !== undefined && { requestId }),
      ...(name !== undefined && { command: name }),
      ...(taskId !== undefined && { taskId }),
    });
  }
}
