import type { PersonsAsk } from "../../client/index.ts";
import type { Usage } from "../../machines/task/index.ts";
import type { Task, TypedAsk } from "../../runtime/index.ts";
import { sayCliError } from "../error.ts";
import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import {
  completedIn,
  type Household,
  isDealtWith,
  type Leave,
  nobodyAnswers,
  numberOf,
  type RunSettings,
  subtasksOf,
} from "../run/index.ts";
import { printable, type Style, showPast, styleOf } from "../show/index.ts";
import { questionOf, react } from "./answers.ts";
import { type Face, openFace } from "./face.ts";
import { PromptHistory } from "./prompt-history.ts";
import { obey } from "./slash.ts";
import { statusLine } from "./status.ts";
import { TerminalView } from "./view.ts";

export type TerminalSettings = Pick<
  RunSettings,
  "prompt" | "oneshot" | "exitOnError" | "model" | "isEphemeral" | "dataDir" | "secrets"
>;

/** Shows a task to a person, line by line, and puts its asks to them. */
export class Terminal {
  readonly #task: Task;
  readonly #host: Household;
  readonly #settings: TerminalSettings;
  readonly #leave: Leave;
  readonly #stderr: Io["stderr"];
  readonly #face: Face;
  readonly #style: Style;
  /** One for each task of the family, by its id. */
  readonly #views = new Map<string, { readonly task: Task; readonly view: TerminalView }>();
  readonly #now: () => number;
  readonly #begunAt: number;
  #ask: TypedAsk | undefined;
  /** Whose ask that is. */
  #asker: Task;
  /** Whoever ends the input is somebody at a terminal. */
  readonly #isPerson: boolean;
  /** A task that goes on has begun. Its ask is put when the run starts. */
  #isRunning: boolean;
  #isResumed: boolean;
  #isOver = false;
  #wasHinted = false;

  /** `now` is in milliseconds. */
  constructor(
    task: Task,
    host: Household,
    settings: TerminalSettings,
    io: Io,
    leave: Leave,
    now: () => number = Date.now,
  ) {
    this.#task = task;
    this.#asker = task;
    this.#host = host;
    this.#settings = settings;
    this.#leave = leave;
    this.#stderr = io.stderr;
    this.#now = now;
    this.#begunAt = now();
    this.#isPerson = io.stdin.isTTY === true;
    this.#isRunning = task.log.length > 0;
    this.#isResumed = this.#isRunning;
    this.#style = styleOf(io.stdout, io.env);
    this.#face = openFace({
      io,
      style: this.#style,
      listener: {
        line: (text, isAnswer) => this.#take(text, isAnswer),
        interrupt: () => this.interrupt(),
        end: () => this.#endOfLines(),
      },
      history: new PromptHistory(settings.isEphemeral ? undefined : settings.dataDir, settings.secrets),
      status: (width) => this.#status(width),
    });
    this.#face.onBroken(() => this.#end(EXIT.failed));
    const view = this.#newView();
    if (this.#isResumed) showPast(task.log.toArray(), view, this.#face.paper, this.#style.dim);
    this.#follow(task, view);
    subtasksOf(task, host).subscribe((opened) => this.#followSubtask(opened));
  }

  /** Begins with the prompt that was given, or asks for one; a task that goes on asks by itself. */
  start(): void {
    const isResumed = this.#isResumed;
    this.#isResumed = false;
    if (isResumed && this.#settings.prompt === undefined) {
      for (const ask of this.#task.asks) this.#show(ask, this.#task);
      return;
    }
    if (this.#settings.prompt === undefined) this.#face.lines.ask("What shall be done? ");
    else this.#begin(this.#settings.prompt);
  }

  /** The first interrupt brings the task to rest, one at rest leaves. */
  interrupt(): void {
    const { state } = this.#task.state;
    if (!this.#isRunning || state === "idle" || state === "resumable") this.#end(EXIT.interrupted);
    else this.#task.cancel();
  }

  close(): void {
    this.#isOver = true;
    this.#face.close();
  }

  #followSubtask(task: Task): void {
    if (this.#isOver) return;
    const begins = task.log.length === 0 ? "begins" : "goes on";
    const { mode } = task.snapshot.context;
    this.#face.paper.line(
      this.#style.bold(`== Subtask ${numberOf(task)} ${begins}, in mode ${printable(mode)}`),
    );
    this.#follow(task, this.#newView());
  }

  #follow(task: Task, view: TerminalView): void {
    this.#views.set(task.id, { task, view });
    task.events$.subscribe((shown) => {
      if (this.#isOver) return;
      view.show(shown);
      const result = completedIn(shown);
      if (result !== undefined && task.parent !== undefined)
        this.#views.get(task.parent.taskId)?.view.heard(result);
      this.#forgetClosedAsk();
      this.#face.refresh();
    });
    task.asks$.subscribe((ask) => this.#show(ask, task));
  }

  /** The view of the task that a person deals with now. */
  get #view(): TerminalView | undefined {
    return this.#views.get(this.#focus.id)?.view;
  }

  /** The task that a person deals with now. */
  get #focus(): Task {
    return this.#host.focus(this.#task.id) ?? this.#task;
  }

  #newView(): TerminalView {
    return new TerminalView(this.#face.paper, this.#style, this.#face.prose);
  }

  #status(width: number): string {
    const task = this.#focus;
    const { mode, queue } = task.snapshot.context;
    const totals = [...this.#views.values()].map((each) => each.task.snapshot.context.total);
    return statusLine(
      {
        state: task.state.state,
        mode,
        model: this.#settings.model,
        usage: totals.reduce(plus, NO_USAGE),
        todos: this.#view?.todos,
        elapsedMs: this.#now() - this.#begunAt,
        queued: queue.length,
      },
      width,
      this.#style,
    );
  }

  #end(code: number): void {
    this.#isOver = true;
    this.#leave(code);
  }

  #begin(prompt: string): void {
    this.#isRunning = true;
    // How it ends is shown by its rows; that it was closed before, by whoever closed it.
    this.#task.run(prompt).catch(() => undefined);
  }

  #show(ask: TypedAsk, asker: Task): void {
    if (!isDealtWith(asker, this.#task, ask.kind, this.#host)) return;
    // An accepted completion can still be replied to: whoever accepted it has left.
    if (this.#isOver || this.#isResumed || (asker === this.#asker && ask.id === this.#ask?.id)) return;
    this.#ask = ask;
    this.#asker = asker;
    if (this.#isOffer(ask) && this.#settings.oneshot) this.#end(EXIT.done);
    if (ask.kind === "api_req_failed" && this.#settings.exitOnError) this.#end(EXIT.failed);
    if (this.#isOver) return;
    if (ask.kind === "command_output") this.#hintAtCommand();
    if (ask.kind === "followup") this.#showQuestion(ask.question, ask.suggestions);
    this.#askPerson(ask);
  }

  /** Whether the run is done with this completion. That of a subtask is its parent's. */
  #isOffer({ kind }: TypedAsk): boolean {
    return kind === "completion_result" && this.#asker === this.#task;
  }

  #askPerson(ask: TypedAsk): void {
    const question = questionOf(ask);
    if (question === undefined) return;
    if (this.#face.lines.isOver) this.#giveUp(ask);
    else this.#face.lines.ask(this.#style.bold(question));
  }

  #showQuestion(question: string, suggestions: readonly string[]): void {
    this.#face.paper.line(`${this.#style.bold("?")} ${printable(question)}`);
    for (const [index, text] of suggestions.entries())
      this.#face.paper.line(`  ${index + 1}. ${printable(text)}`);
  }

  #hintAtCommand(): void {
    if (this.#wasHinted || this.#face.lines.isOver) return;
    this.#wasHinted = true;
    this.#face.paper.line(
      this.#style.dim("  (b and enter: let it go on in the background; k and enter: end it)"),
    );
  }

  #forgetClosedAsk(): void {
    const ask = this.#ask;
    if (ask === undefined || this.#asker.asks.some(({ id }) => id === ask.id)) return;
    this.#ask = undefined;
    this.#face.lines.unask();
  }

  #take(text: string, isAnswer: boolean): void {
    if (this.#obeys(text)) {
      if (isAnswer) this.#askAgain();
      return;
    }
    if (!this.#isRunning) {
      if (text.trim() === "") this.start();
      else {
        this.#view?.typed(text);
        this.#begin(text);
      }
      return;
    }
    const ask = this.#ask;
    if (ask?.kind === "command_output" && this.#steer(ask, text.trim())) return;
    if (isAnswer && ask !== undefined && ask.kind !== "command_output") this.#answer(ask, text);
    else if (text.trim() !== "") this.#queue(text);
  }

  #obeys(text: string): boolean {
    return obey(text, {
      task: () => this.#focus,
      root: this.#task,
      say: (line) => this.#note(line),
      cancel: () => this.#task.cancel(),
      quit: () => this.#end(EXIT.done),
    });
  }

  /** The question that was shown is still open. */
  #askAgain(): void {
    if (this.#isOver) return;
    if (!this.#isRunning) this.start();
    else if (this.#ask !== undefined) this.#askPerson(this.#ask);
  }

  #steer(ask: Extract<TypedAsk, { kind: "command_output" }>, words: string): boolean {
    if (words !== "b" && words !== "k") return false;
    const result = words === "b" ? ask.proceed() : ask.abort();
    const done = words === "b" ? "The command goes on in the background." : "The command is ended.";
    this.#note(result.taken ? done : result.message);
    return true;
  }

  #answer(ask: PersonsAsk, text: string): void {
    const isAccepted = this.#isOffer(ask) && text.trim() === "";
    this.#view?.typed(text.trim());
    const reaction = react(ask, text);
    if (reaction.kind === "leave") this.#end(EXIT.done);
    else if (reaction.kind === "unclear") {
      this.#note(reaction.hint);
      this.#askPerson(ask);
    } else if (!reaction.result.taken) this.#note(reaction.result.message);
    else if (isAccepted) this.#end(EXIT.done);
  }

  #queue(text: string): void {
    const result = this.#focus.queue(text);
    this.#note(result.queued ? `Queued for the next request: ${printable(text)}` : result.message);
  }

  #note(text: string): void {
    this.#face.paper.line(this.#style.dim(text));
  }

  #endOfLines(): void {
    if (this.#ask !== undefined) this.#giveUp(this.#ask);
    else if (!this.#isRunning) this.#endUnasked();
  }

  /** Nothing was to be done. A person who ends the input just leaves. */
  #endUnasked(): void {
    if (!this.#isPerson) {
      this.#face.paper.freshLine();
      const message =
        "there is no prompt, and the input has ended: give one as an argument, or in --prompt-file.";
      this.#stderr.write(sayCliError(message));
    }
    this.#end(this.#isPerson ? EXIT.done : EXIT.failed);
  }

  /** There is nobody who could answer. A task that is complete needs nobody; a person may leave one that rests. */
  #giveUp(ask: TypedAsk): void {
    if (questionOf(ask) === undefined) return;
    const isOwn = this.#asker === this.#task;
    const isLeft = this.#isPerson && ask.kind === "resume_task";
    const isComplete = this.#isOffer(ask) || (isOwn && ask.kind === "resume_completed_task");
    if (isComplete || isLeft) {
      this.#end(EXIT.done);
      return;
    }
    this.#face.paper.freshLine();
    this.#stderr.write(sayCliError(nobodyAnswers(ask, "the input has ended")));
    this.#end(EXIT.failed);
  }
}

const NO_USAGE: Usage = { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 };

const plus = (a: Usage, b: Usage): Usage => ({
  tokensIn: a.tokensIn + b.tokensIn,
  tokensOut: a.tokensOut + b.tokensOut,
  cacheWrites: a.cacheWrites + b.cacheWrites,
  cacheReads: a.cacheReads + b.cacheReads,
  cost: a.cost + b.cost,
});
