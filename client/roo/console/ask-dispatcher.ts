import type { AnswerResult } from "../../../actors/ask/open-asks.ts";
import { systemClock } from "../../../actors/protocol/edge.ts";
import { ASKS, isNonBlockingAsk } from "../../../machines/message/asks.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Host } from "../../../runtime/host.ts";
import type { Ask } from "../../../runtime/task/ask.ts";
import type { Task } from "../../../runtime/task/task.ts";
import {
  APPROVE_ALL,
  type AskContext,
  type AskHandler,
  type AskHandlers,
  type AutoAnswer,
  type AutoAnswers,
  NON_INTERACTIVE,
  REJECT_ALL,
} from "./ask-handlers.ts";
import { promptForAnswer } from "./ask-prompt.ts";
import type { PromptManager } from "./prompt-manager.ts";

/** The reason why an ask is left open: someone else must answer it. */
export type LeftOpen =
  | { readonly why: "nobody" }
  /** `autoAnswersMax` automatic answers in a row were given. */
  | { readonly why: "limit"; readonly limit: number }
  /** The answer was refused. */
  | { readonly why: "refused"; readonly result: AnswerResult & { readonly ok: false } };

/** The source of an automatic answer: a rule, or the default of a question and why it applies. */
export type AnsweredBy = "rule" | "deadline" | "end" | "unclear";

/** Options of an {@link AskDispatcher}. */
export interface AskDispatcherOptions {
  /** Handlers by kind or category. An ask without one is answered automatically, or a person is asked. */
  readonly handlers?: AskHandlers;
  /** Whether an ask is dispatched. Default: every ask is. */
  readonly filter?: (ask: Ask, context: AskContext) => boolean;
  /** Asks the person. Without it no person is asked. */
  readonly prompts?: PromptManager;
  /**
   * Whether no person may be present: some asks are then answered automatically. Without `prompts`, approvals are
   * rejected. Default false.
   */
  readonly nonInteractive?: boolean;
  /** Whether every tool call is approved. Default false. */
  readonly approveAll?: boolean;
  /** Automatic answers that override those. */
  readonly autoAnswers?: AutoAnswers;
  /** Automatic answers in a row to one kind of ask of a task, without an answer of a person (L14). Default 10. */
  readonly autoAnswersMax?: number;
  /** Clock for delays. Default: the system's. */
  readonly clock?: Clock;
  /** Called after an automatic answer: of a rule, or the default of a question. */
  readonly onAutoAnswer?: (ask: Ask, context: AskContext, by: AnsweredBy) => void;
  /** Called before a person is asked, if a rule answers after `afterMs`. */
  readonly onWait?: (ask: Ask, afterMs: number, context: AskContext) => void;
  /** Called for an ask that is left open. */
  readonly onLeftOpen?: (ask: Ask, left: LeftOpen, context: AskContext) => void;
  /** Called with the error of a handler. Default: thrown as uncaught. */
  readonly onError?: (error: unknown, ask: Ask) => void;
}

/** A task whose asks are dispatched. */
interface AttachedTask {
  readonly task: Task;
  /** The open asks, each with the controller of its signal. */
  readonly open: Map<number, AbortController>;
  /** Automatic answers in a row, by kind of ask. */
  readonly given: Map<string, number>;
  readonly end: () => void;
}

/**
 * Dispatches the asks of tasks to handlers, a person, or automatic answers with a delay. An answer is a method of its
 * ask, so it always names it (L8). Anything that closes an ask, also an answer from elsewhere, withdraws its question and
 * stops its delay. No question about an ask is asked twice.
 *
 * @example
 * ```ts
 * import { anthropic, createHost } from "signalbox";
 * import { AskDispatcher } from "signalbox/client";
 * const host = createHost();
 * const asks = new AskDispatcher({ nonInteractive: true, handlers: { command: (ask) => void ask.reject() } });
 * asks.follow(host);
 * const task = await host.create({ model: anthropic({ model: "claude-sonnet-4-6" }), workspace: "." });
 * await task.run("Make the tests pass");
 * ```
 */
export class AskDispatcher {
  readonly #options: AskDispatcherOptions;
  readonly #clock: Clock;
  readonly #auto: AutoAnswers;
  readonly #autoMax: number;
  readonly #attached = new Map<Task, AttachedTask>();

  constructor(options: AskDispatcherOptions = {}) {
    const { nonInteractive = false, approveAll = false, prompts, autoAnswers } = options;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#autoMax = options.autoAnswersMax ?? 10;
    this.#auto = {
      ...(nonInteractive && NON_INTERACTIVE),
      ...(nonInteractive && prompts === undefined && REJECT_ALL),
      ...(approveAll && APPROVE_ALL),
      ...autoAnswers,
    };
  }

  /** Dispatch the asks of a task: the open one, and each new one. The returned function detaches it. */
  attach(task: Task): () => void {
    const known = this.#attached.get(task);
    if (known !== undefined) return known.end;
    const end = (): void => {
      closings.unsubscribe();
      asks.unsubscribe();
      this.#attached.delete(task);
      for (const controller of attached.open.values()) controller.abort();
    };
    const attached: AttachedTask = { task, open: new Map(), given: new Map(), end };
    this.#attached.set(task, attached);
    const closings = task.events$.subscribe({
      next: ({ commit }) => {
        for (const event of commit.log)
          if (event.type === "message.amended" && event.patch.closing !== undefined)
            endAsk(attached, event.ts);
      },
      complete: () => end(),
    });
    let wasOpen = true;
    const asks = task.asks$.subscribe((ask) => this.#dispatch(ask, attached, wasOpen));
    wasOpen = false;
    return end;
  }

  /** Attach every task of a host, including subtasks. The returned function detaches them. */
  follow(host: Pick<Host, "tasks" | "opened$">): () => void {
    const opened = host.opened$.subscribe((task) => this.attach(task));
    for (const task of host.tasks.values()) this.attach(task);
    return () => {
      opened.unsubscribe();
      this.close();
    };
  }

  /** Dispatch a single ask of any source; abort `signal` when it is closed. */
  offer(ask: Ask, signal: AbortSignal = new AbortController().signal): void {
    this.#route(ask, { signal, task: undefined, wasOpen: true }, undefined);
  }

  /** Detach all tasks. Open asks stay open. */
  close(): void {
    for (const { end } of [...this.#attached.values()]) end();
  }

  #dispatch(ask: Ask, attached: AttachedTask, wasOpen: boolean): void {
    if (attached.open.has(ask.id)) return;
    const controller = new AbortController();
    const context = { signal: controller.signal, task: attached.task, wasOpen };
    if (this.#options.filter?.(ask, context) === false) return;
    attached.open.set(ask.id, controller);
    this.#route(ask, context, attached);
  }

  #route(ask: Ask, context: AskContext, attached: AttachedTask | undefined): void {
    const handler = this.#handlerOf(ask) ?? ((open, more) => this.#standard(open, more, attached));
    new Promise<void>((resolve) => resolve(handler(ask, context))).catch((error: unknown) => {
      if (this.#options.onError === undefined) throw error;
      this.#options.onError(error, ask);
    });
  }

  #handlerOf({ kind, type }: Ask): AskHandler | undefined {
    const { handlers = {} } = this.#options;
    const byKind: Readonly<Record<string, unknown>> = handlers;
    const handler = byKind[kind] ?? handlers[ASKS[type].category];
    return typeof handler === "function" ? (ask, context) => handler(ask, context) : undefined;
  }

  async #standard(ask: Ask, context: AskContext, attached: AttachedTask | undefined): Promise<void> {
    const { prompts } = this.#options;
    const auto: AutoAnswer | undefined = this.#auto[ask.kind];
    if (auto === undefined) {
      const isAnswered = prompts !== undefined && (await this.#askPerson(ask, prompts, context, attached));
      // A running command needs no answer.
      if (!isAnswered && !context.signal.aborted && !isNonBlockingAsk(ask.type))
        this.#leaveOpen(ask, { why: "nobody" }, context);
      return;
    }
    if (auto.afterMs === 0) {
      this.#answerAutomatically(ask, auto, context, attached);
      return;
    }
    this.#options.onWait?.(ask, auto.afterMs, context);
    const answered = new AbortController();
    const stop = this.#clock.after(auto.afterMs, () => {
      answered.abort();
      this.#answerAutomatically(ask, auto, context, attached);
    });
    context.signal.addEventListener("abort", stop);
    if (prompts === undefined) return;
    const signal = AbortSignal.any([context.signal, answered.signal]);
    if (await this.#askPerson(ask, prompts, { ...context, signal }, attached)) stop();
  }

  /** Asks a person; resolves with whether the ask was answered. */
  async #askPerson(
    ask: Ask,
    prompts: PromptManager,
    context: AskContext,
    attached: AttachedTask | undefined,
  ): Promise<boolean> {
    const reply = await promptForAnswer(ask, prompts, context.signal);
    if (reply?.kind !== "answer" || context.signal.aborted) return false;
    if (reply.by === "person") attached?.given.clear();
    const result = reply.value();
    if (reply.by !== "person" && result?.ok === true) this.#options.onAutoAnswer?.(ask, context, reply.by);
    this.#report(ask, result, context);
    return true;
  }

  #answerAutomatically(
    ask: Ask,
    auto: AutoAnswer,
    context: AskContext,
    attached: AttachedTask | undefined,
  ): void {
    // An answer from elsewhere may have been accepted that is not shown yet.
    if (context.signal.aborted || context.task?.asks.every(({ id }) => id !== ask.id)) return;
    const given = attached?.given.get(ask.kind) ?? 0;
    if (given >= this.#autoMax) {
      this.#leaveOpen(ask, { why: "limit", limit: this.#autoMax }, context);
      return;
    }
    const result = auto.give(ask, context);
    if (result?.ok === true) {
      attached?.given.set(ask.kind, given + 1);
      this.#options.onAutoAnswer?.(ask, context, "rule");
    }
    this.#report(ask, result, context);
  }

  #report(ask: Ask, result: AnswerResult | undefined, context: AskContext): void {
    if (result === undefined) this.#leaveOpen(ask, { why: "nobody" }, context);
    else if (!result.ok) this.#leaveOpen(ask, { why: "refused", result }, context);
  }

  #leaveOpen(ask: Ask, left: LeftOpen, context: AskContext): void {
    this.#options.onLeftOpen?.(ask, left, context);
  }
}

/** Called when the ask is closed, by anyone. */
function endAsk({ open }: AttachedTask, askId: number): void {
  open.get(askId)?.abort();
  open.delete(askId);
}
