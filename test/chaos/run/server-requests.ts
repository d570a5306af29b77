import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import type { StreamSource } from "./follower.ts";

/** A request that changes a task, as a client sent it to a server. */
export interface SentRequest {
  readonly task: string;
  readonly via: "server";
  /** `unknown`: the client got no answer, so it may have taken effect. */
  readonly outcome: "accepted" | "refused" | "unknown";
  readonly command: RequestedCommand;
}

type RequestedCommand =
  | { readonly kind: "start" | "message"; readonly text: string }
  | { readonly kind: "answer"; readonly askId: number; readonly answer: { readonly text: string } };

const RETRY_MS = 300;
/** Time after which a client takes a request for lost, in ms. */
const LOST_MS = 20_000;
/** The task was started, or the ask answered or withdrawn, by an earlier attempt. */
const DONE: ReadonlySet<string> = new Set([
  "TASK_EXISTS",
  "JOURNAL_EXISTS",
  "COMMAND_WAITS",
  "ASK_UNKNOWN",
  "ASK_CLOSED",
  "ASK_ALREADY_ANSWERED",
]);
/** The server could not send the request to a worker. */
const NOT_SENT = "WORKER_MISSING";

const Problem = z.object({ code: z.string() });

/** Sends requests to one server after the other. */
export class ServerRequests {
  readonly #servers: readonly StreamSource[];
  readonly #onSent: (sent: SentRequest) => void;
  readonly #pending = new Set<Promise<void>>();
  #next = 0;

  constructor(servers: readonly StreamSource[], onSent: (sent: SentRequest) => void) {
    this.#servers = servers;
    this.#onSent = onSent;
  }

  /** Start a task, again and again until it has started. Its id is chosen, so that it starts once. */
  start(task: string, text: string, workspace: string): void {
    const body = { id: task, prompt: text, workspace };
    this.#track(this.#untilDone("/api/tasks", body, { task, command: { kind: "start", text } }));
  }

  /** Answer an ask, again and again until it is closed. */
  answer(task: string, askId: number, text: string): void {
    const answer = { kind: "text", text };
    const sent = { task, command: { kind: "answer", askId, answer: { text } } } as const;
    this.#track(this.#untilDone(`/api/tasks/${task}/asks/${askId}/answer`, answer, sent));
  }

  /** Queue a message, once it is certain that no attempt before could take effect. */
  message(task: string, text: string): void {
    this.#track(this.#message(task, text));
  }

  /** Resolves when every request has ended. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  #track(sent: Promise<void>): void {
    const tracked = sent.finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
  }

  async #message(task: string, text: string): Promise<void> {
    for (;;) {
      const answer = await this.#post(`/api/tasks/${task}/queue`, { text });
      if (answer !== undefined && answer !== NOT_SENT && answer !== "TASK_UNKNOWN") {
        const outcome = answer === "ok" ? "accepted" : answer === "lost" ? "unknown" : "refused";
        this.#onSent({ task, via: "server", outcome, command: { kind: "message", text } });
        return;
      }
      await pause(RETRY_MS);
    }
  }

  async #untilDone(where: string, body: object, sent: Pick<SentRequest, "task" | "command">): Promise<void> {
    for (;;) {
      const answer = await this.#post(where, body);
      if (answer === "ok" || DONE.has(answer ?? "")) break;
      await pause(RETRY_MS);
    }
    this.#onSent({ ...sent, via: "server", outcome: "accepted" });
  }

  /** `ok`, the code of the problem, or `lost` if there was no answer; undefined while the server starts. */
  async #post(where: string, body: object): Promise<string | undefined> {
    this.#next += 1;
    const address = this.#servers[this.#next % this.#servers.length]?.address;
    if (address === undefined) return undefined;
    try {
      const response = await fetch(`${address.url}${where}`, {
        method: "POST",
        headers: { authorization: `Bearer ${address.token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(LOST_MS),
      });
      if (response.ok) return "ok";
      const { code } = Problem.parse(await response.json());
      return code === "WORKER_LOST" ? "lost" : code;
    } catch {
      // The server was killed, is stopped, or has not read the whole request.
      return "lost";
    }
  }
}
