import type { JsonEventEmitter } from "../../client/index.ts";
import type { StdinCommand, StdinCommandName } from "../../wire/index.ts";

type ControlledCommand = Pick<StdinCommand, "requestId"> & { readonly command: StdinCommandName };

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

  error(command: ControlledCommand, code: string, content: string, taskId = this.#taskId()): void {
    this.#emit(command, { subtype: "error", code, content, success: false }, taskId);
  }

  /** A failure that was caused by no command. */
  failure(content: string, requestId: string | undefined): void {
    const taskId = this.#taskId();
    this.#emitter.emitControl({
      subtype: "error",
      ...(requestId !== undefined && { requestId }),
      ...(taskId !== undefined && { taskId }),
      code: "client_error",
      content,
      success: false,
    });
  }

  #emit(
    { command, requestId }: ControlledCommand,
    event: { subtype: "ack" | "done" | "error"; code: string; content: string; success: boolean },
    taskId: string | undefined,
  ): void {
    this.#emitter.emitControl({ ...event, requestId, command, ...(taskId !== undefined && { taskId }) });
  }
}
