import type { JsonEventEmitter } from "../../client/index.ts";
import type { StdinCommand, StdinCommandName } from "../../wire/index.ts";

type Said = Pick<StdinCommand, "requestId"> & { readonly command: StdinCommandName };

/** Tells what becomes of commands: taken, then done or refused. */
export class Replies {
  readonly #emitter: JsonEventEmitter;
  readonly #taskId: () => string | undefined;

  /** @param taskId that of the task there is now */
  constructor(emitter: JsonEventEmitter, taskId: () => string | undefined) {
    this.#emitter = emitter;
    this.#taskId = taskId;
  }

  ack(command: Said, content: string, taskId?: string): void {
    this.#tell(command, { subtype: "ack", code: "accepted", content, success: true }, taskId);
  }

  done(command: Said, code: string, content: string, success = true): void {
    this.#tell(command, { subtype: "done", code, content, success }, this.#taskId());
  }

  error(command: Said, code: string, content: string, taskId = this.#taskId()): void {
    this.#tell(command, { subtype: "error", code, content, success: false }, taskId);
  }

  /** A failure that no command is the cause of. */
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

  #tell(
    { command, requestId }: Said,
    told: { subtype: "ack" | "done" | "error"; code: string; content: string; success: boolean },
    taskId: string | undefined,
  ): void {
    this.#emitter.emitControl({ ...told, requestId, command, ...(taskId !== undefined && { taskId }) });
  }
}
