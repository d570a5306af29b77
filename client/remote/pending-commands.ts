import type { Writable } from "node:stream";
import type { StdinCommand } from "../../wire/ndjson/command.ts";
import type { ParsedJsonEvent } from "../../wire/ndjson/event.ts";
import { RemoteError } from "./remote-error.ts";

/** A command without its request id. */
export type CommandWithoutId = StdinCommand extends infer C
  ? C extends StdinCommand
    ? Omit<C, "requestId">
    : never
  : never;

interface Pending {
  readonly resolve: (event: ParsedJsonEvent) => void;
  readonly reject: (error: Error) => void;
}

/** The commands that the process has not completed yet. */
export class PendingCommands {
  readonly #stdin: Writable;
  readonly #pending = new Map<string, Pending>();
  #sent = 0;
  #ended: Error | undefined;

  constructor(stdin: Writable) {
    this.#stdin = stdin;
  }

  /** Send a command; resolves with its `done` event. @throws RemoteError `COMMAND_REFUSED`, `PROCESS_ENDED` */
  send(command: CommandWithoutId): Promise<ParsedJsonEvent> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    this.#sent += 1;
    const requestId = String(this.#sent);
    const done = new Promise<ParsedJsonEvent>((resolve, reject) => {
      this.#pending.set(requestId, { resolve, reject });
    });
    this.#stdin.write(`${JSON.stringify({ ...command, requestId })}\n`);
    return done;
  }

  /** Read a control event of the process. */
  settle(event: ParsedJsonEvent): void {
    const { type, subtype, requestId, command, code, content } = event;
    if (type !== "control" || subtype === "ack" || requestId === undefined) return;
    const pending = this.#pending.get(requestId);
    if (pending === undefined) return;
    this.#pending.delete(requestId);
    if (subtype === "done") pending.resolve(event);
    else
      pending.reject(new RemoteError("COMMAND_REFUSED", `The process refused ${command}: ${content}`, code));
  }

  /** Reject all pending commands: the process has ended. */
  end(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
