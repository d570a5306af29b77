import type { Writable } from "node:stream";
import type { ParsedJsonEvent, StdinCommand } from "../../wire/index.ts";
import { RemoteError } from "./remote-error.ts";

/** A command before it has its number. */
export type CommandWithoutId = StdinCommand extends infer C
  ? C extends StdinCommand
    ? Omit<C, "requestId">
    : never
  : never;

interface Pending {
  readonly resolve: (event: ParsedJsonEvent) => void;
  readonly reject: (error: Error) => void;
}

/** Commands on their way to the process, and what became of each. */
export class PendingCommands {
  readonly #stdin: Writable;
  readonly #pending = new Map<string, Pending>();
  #sent = 0;
  #ended: Error | undefined;

  constructor(stdin: Writable) {
    this.#stdin = stdin;
  }

  /** Resolves with the event that says it is done. @throws RemoteError `COMMAND_REFUSED`, `PROCESS_ENDED` */
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

  /** The process told what becomes of a command. */
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

  /** The process is gone: nothing that is on its way is done any more. */
  end(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
