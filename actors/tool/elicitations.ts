import type { ElicitationAnswer, ElicitationRequest } from "../../machines/message/elicitation.ts";
import type { ToolCommand } from "../../machines/task/task.setup.ts";
import { ToolError } from "../../tools/error.ts";
import { elicitationSchema } from "../../wire/elicitation.ts";

/** Requests of one call that wait for a person (L14). */
const WAITING_MAX = 8;
/** Bytes of a request as JSON: it becomes a message (L14). */
const REQUEST_MAX_BYTES = 64 * 1024;

export interface ElicitationsOptions {
  /** Aborts when the call is stopped or aborted. */
  readonly signal: AbortSignal;
  readonly send: (elicitationId: string, request: ElicitationRequest) => void;
}

interface Waiting {
  readonly id: string;
  readonly request: ElicitationRequest;
  readonly resolve: (answer: ElicitationAnswer) => void;
}

/** The requests of one call for input. One is open at a time (L8); the others wait behind it. */
export class Elicitations {
  readonly #options: ElicitationsOptions;
  #waiting: readonly Waiting[] = [];
  #count = 0;

  constructor(options: ElicitationsOptions) {
    this.#options = options;
  }

  /** @throws ToolError `ARGUMENTS_INVALID`, `TOO_LARGE`; `FAILED` when the call ends first, or too many requests wait */
  readonly elicit = async (given: ElicitationRequest): Promise<ElicitationAnswer> => {
    const { signal } = this.#options;
    const request = parseRequest(given);
    if (this.#waiting.length >= WAITING_MAX)
      throw new ToolError(
        "FAILED",
        `Expected at most ${WAITING_MAX} waiting requests for input. Wait for an answer before the next one.`,
      );
    return new Promise((resolve, reject) => {
      const stop = (): void =>
        reject(new ToolError("FAILED", "The call was stopped before the user answered."));
      if (signal.aborted) return stop();
      signal.addEventListener("abort", stop, { once: true });
      this.#count += 1;
      this.#waiting = [...this.#waiting, { id: String(this.#count), request, resolve }];
      if (this.#waiting.length === 1) this.#open();
    });
  };

  /** Take the answer to the open request, and open the next one. */
  answered({ elicitationId, answer }: Extract<ToolCommand, { type: "tool.elicitation.answered" }>): void {
    const [open, ...others] = this.#waiting;
    if (open?.id !== elicitationId) return;
    this.#waiting = others;
    open.resolve(answer);
    this.#open();
  }

  #open(): void {
    const [next] = this.#waiting;
    if (next !== undefined) this.#options.send(next.id, next.request);
  }
}

function parseRequest(given: ElicitationRequest): ElicitationRequest {
  const size = Buffer.byteLength(JSON.stringify(given) ?? "");
  if (size > REQUEST_MAX_BYTES)
    throw new ToolError(
      "TOO_LARGE",
      `Expected a request for input of at most ${REQUEST_MAX_BYTES} bytes of JSON, received ${size}.`,
    );
  const { success, data, error } = elicitationSchema.safeParse(given);
  if (success) return data;
  const [issue] = error.issues;
  throw new ToolError(
    "ARGUMENTS_INVALID",
    `The request for input is not valid at '${issue?.path.join(".")}': ${issue?.message}. Send a flat form or an http address.`,
  );
}
