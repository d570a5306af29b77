import { type AnswerResult, type Clock, systemClock } from "../../actors/index.ts";
import { ASKS, isNonBlockingAsk } from "../../machines/message/index.ts";
import type { Host, Task, TypedAsk } from "../../runtime/index.ts";
import type { AskContext, AskHandler, AskHandlers } from "./ask-handlers.ts";
import {
  APPROVE_ALL,
  type AutoAnswer,
  type AutoAnswers,
  NON_INTERACTIVE,
  REJECT_ALL,
} from "./auto-answers.ts";
import { askPerson } from "./person.ts";
import type { PromptManager } from "./prompt-manager.ts";

/** Why an ask is left open: somebody else must answer it. */
export type LeftOpen =
  | { readonly why: "nobody" }
  /** It was answered so as often in a row as `autoAnswersMax` allows. */
  | { readonly why: "limit"; readonly limit: number }
  /** The answer was refused. */
  | { readonly why: "refused"; readonly result: AnswerResult & { readonly taken: false } };

/** What gave an answer in the place of a person: a rule, or why there is only the default. */
export type AnsweredBy = "rule" | "deadline" | "end" | "unclear";

export interface AskDispatcherOptions {
  /** One's own, by kind or category. What has none is answered by itself, or put to a person. */
  readonly handlers?: AskHandlers;
  /** Whether an ask is looked after. Default: each is. */
  readonly heeds?: (ask: TypedAsk, context: AskContext) => boolean;
  /** Who asks the person. Without one there is nobody to ask. */
  readonly prompts?: PromptManager;
  /** Whether nobody may be there: see {@link NON_INTERACTIVE}. What must be approved is then rejected. Default false. */
  readonly nonInteractive?: boolean;
  /** Whether every call is approved. Default false. */
  readonly approveAll?: boolean;
  /** More answers that are given by themselves, in place of those. */
  readonly autoAnswers?: AutoAnswers;
  /** Answers by themselves to one kind of ask of a task, with none of a person between (L14). Default 10. */
  readonly autoAnswersMax?: number;
  /** Time, for deadlines. Default: the system's. */
  readonly clock?: Clock;
  /** Told of an answer that was given by itself: by a rule, or by default where a person gave none. */
  readonly onAutoAnswer?: (ask: TypedAsk, context: AskContext, by: AnsweredBy) => void;
  /** Told of an ask that a rule will answer if nobody does within `afterMs`, before a person is asked. */
  readonly onWait?: (ask: TypedAsk, afterMs: number, context: AskContext) => void;
  /** Told of an ask that is left open. */
  readonly onLeftOpen?: (ask: TypedAsk, left: LeftOpen, context: AskContext) => void;
  /** Told of a handler that threw. Default: thrown at the process. */
  readonly onError?: (error: unknown, ask: TypedAsk) => void;
}

/** One task that is looked after. */
interface Care {
  readonly task: Task;
  /** The asks that are open, each with what says that it is left. */
  readonly open: Map<number, AbortController>;
  /** Answers by themselves in a row, by the kind of ask. */
  readonly given: Map<string, number>;
  readonly end: () => void;
}

/**
 * Takes the asks of tasks to those who answer them: handlers of one's own, a person, or, where nobody may be there, a
 * rule with a deadline. An answer is a method of its ask, so that it names it (L8). Whatever closes an ask, also an
 * answer from elsewhere, takes its question back and stops its deadline: nothing fires after that. Nobody is asked twice
 * about one ask.
 *
 * @example
 * ```ts
 * import { anthropic, createHost } from "signalbox";
 * import { AskDispatcher } from "signalbox/client";
 * const host = createHost();
 * const asks = new AskDispatcher({ nonInteractive: true, handlers: { command: (ask) => void ask.reject() } });
 * asks.follow(host);
 * const task = await host.create({ model: anthropic({ model: "claude-sonnet-5-5" }), workspace: "." });
 * await task.run("Make the tests pass");
 * ```
 */
export class AskDispatcher {
  readonly #options: AskDispatcherOptions;
  readonly #clock: Clock;
  readonly #auto: AutoAnswers;
  readonly #autoMax: number;
  readonly #cares = new Map<Task, Care>();

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

  /** Looks after the asks of a task: that which is open, and those to come. The function it gives ends that. */
  attach(task: Task): () => void {
    const known = this.#cares.get(task);
    if (known !== undefined) return known.end;
    const end = (): void => {
      closings.unsubscribe();
      asks.unsubscribe();
      this.#cares.delete(task);
      for (const controller of care.open.values()) controller.abort();
    };
    const care: Care = { task, open: new Map(), given: new Map(), end };
    this.#cares.set(task, care);
    const closings = task.events$.subscribe({
      next: ({ commit }) => {
        for (const event of commit.log)
          if (event.type === "message.amended" && event.patch.closing !== undefined) leave(care, event.ts);
      },
      complete: () => end(),
    });
    let wasOpen = true;
    const asks = task.asks$.subscribe((ask) => this.#take(ask, care, wasOpen));
    wasOpen = false;
    return end;
  }

  /** Looks after every task of a host, subtasks too. The function it gives ends that. */
  follow(host: Pick<Host, "tasks" | "opened$">): () => void {
    const opened = host.opened$.subscribe((task) => this.attach(task));
    for (const task of host.tasks.values()) this.attach(task);
    return () => {
      opened.unsubscribe();
      this.close();
    };
  }

  /** One ask alone, from anywhere: `signal` says when it is left. */
  offer(ask: TypedAsk, signal: AbortSignal = new AbortController().signal): void {
    this.#route(ask, { signal, task: undefined, wasOpen: true }, undefined);
  }

  /** Looks after no task any more. What is open stays so. */
  close(): void {
    for (const { end } of [...this.#cares.values()]) end();
  }

  #take(ask: TypedAsk, care: Care, wasOpen: boolean): void {
    if (care.open.has(ask.id)) return;
    const controller = new AbortController();
    const context = { signal: controller.signal, task: care.task, wasOpen };
    if (this.#options.heeds?.(ask, context) === false) return;
    care.open.set(ask.id, controller);
    this.#route(ask, context, care);
  }

  #route(ask: TypedAsk, context: AskContext, care: Care | undefined): void {
    const handler = this.#handlerOf(ask) ?? ((open, more) => this.#standard(open, more, care));
    new Promise<void>((resolve) => resolve(handler(ask, context))).catch((error: unknown) => {
      if (this.#options.onError === undefined) throw error;
      this.#options.onError(error, ask);
    });
  }

  #handlerOf({ kind }: TypedAsk): AskHandler | undefined {
    const { handlers = {} } = this.#options;
    const byKind: Readonly<Record<string, unknown>> = handlers;
    const handler = byKind[kind] ?? handlers[ASKS[kind].category];
    return typeof handler === "function" ? (ask, context) => handler(ask, context) : undefined;
  }

  async #standard(ask: TypedAsk, context: AskContext, care: Care | undefined): Promise<void> {
    const { prompts } = this.#options;
    const auto: AutoAnswer | undefined = this.#auto[ask.kind];
    if (auto === undefined) {
      const isAnswered = prompts !== undefined && (await this.#askPerson(ask, prompts, context, care));
      // A command that runs needs nobody.
      if (!isAnswered && !context.signal.aborted && !isNonBlockingAsk(ask.kind))
        this.#leaveOpen(ask, { why: "nobody" }, context);
      return;
    }
    if (auto.afterMs === 0) {
      this.#answerByItself(ask, auto, context, care);
      return;
    }
    this.#options.onWait?.(ask, auto.afterMs, context);
    const answered = new AbortController();
    const stop = this.#clock.after(auto.afterMs, () => {
      answered.abort();
      this.#answerByItself(ask, auto, context, care);
    });
    context.signal.addEventListener("abort", stop);
    if (prompts === undefined) return;
    const signal = AbortSignal.any([context.signal, answered.signal]);
    if (await this.#askPerson(ask, prompts, { ...context, signal }, care)) stop();
  }

  /** Whether a person has answered. */
  async #askPerson(
    ask: TypedAsk,
    prompts: PromptManager,
    context: AskContext,
    care: Care | undefined,
  ): Promise<boolean> {
    const reply = await askPerson(ask, prompts, context);
    if (reply?.kind !== "answer" || context.signal.aborted) return false;
    if (reply.by === "person") care?.given.clear();
    const result = reply.value();
    if (reply.by !== "person" && result?.taken === true) this.#options.onAutoAnswer?.(ask, context, reply.by);
    this.#note(ask, result, context);
    return true;
  }

  #answerByItself(ask: TypedAsk, auto: AutoAnswer, context: AskContext, care: Care | undefined): void {
    // An answer from elsewhere may have been taken that is not shown yet.
    if (context.signal.aborted || context.task?.asks.every(({ id }) => id !== ask.id)) return;
    const given = care?.given.get(ask.kind) ?? 0;
    if (given >= this.#autoMax) {
      this.#leaveOpen(ask, { why: "limit", limit: this.#autoMax }, context);
      return;
    }
    const result = auto.give(ask, context);
    if (result?.taken === true) {
      care?.given.set(ask.kind, given + 1);
      this.#options.onAutoAnswer?.(ask, context, "rule");
    }
    this.#note(ask, result, context);
  }

  #note(ask: TypedAsk, result: AnswerResult | undefined, context: AskContext): void {
    if (result === undefined) this.#leaveOpen(ask, { why: "nobody" }, context);
    else if (!result.taken) this.#leaveOpen(ask, { why: "refused", result }, context);
  }

  #leaveOpen(ask: TypedAsk, left: LeftOpen, context: AskContext): void {
    this.#options.onLeftOpen?.(ask, left, context);
  }
}

/** The ask is closed, by whoever it was. */
function leave({ open }: Care, askId: number): void {
  open.get(askId)?.abort();
  open.delete(askId);
}
