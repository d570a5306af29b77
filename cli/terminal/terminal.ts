import { answerWord, type BlockingAsk } from "../../client/index.ts";
import { addUsage, NO_USAGE, selectedModel } from "../../machines/task/index.ts";
import { type ApprovalAsk, type Ask, openHistory, type Task } from "../../runtime/index.ts";
import { createModes, type Modes } from "../../tools/index.ts";
import { createDataFolder } from "../data-folder.ts";
import { EXIT, errorMessage, formatCliError } from "../error.ts";
import type { Io } from "../io.ts";
import {
  completionResult,
  formatUnanswered,
  isHandledHere,
  type Leave,
  type RunCommands,
  type RunHost,
  type RunSettings,
  subtaskNumber,
  subtasksOf,
} from "../run/index.ts";
import { createStyle, printable, type Style, showHistory } from "../show/index.ts";
import { AlwaysChoice } from "./always-choice.ts";
import { type Completion, complete } from "./completion.ts";
import { type EditableAsk, EditedProposal, editProposal, offersEdit } from "./edit-proposal.ts";
import { formatFirstScreen } from "./first-screen.ts";
import { openInterface, type TerminalInterface } from "./interface.ts";
import { nextMode } from "./permission-command.ts";
import { PromptHistory } from "./prompt-history.ts";
import {
  type AlwaysAsk,
  applyAnswer,
  formatQuestion,
  hiddenContent,
  type OfferedWords,
  offersAlways,
} from "./questions.ts";
import { completableCommands, runSlashCommand } from "./slash-commands.ts";
import type { SlashContext } from "./slash-context.ts";
import { formatStatusLine } from "./status-line.ts";
import { TerminalView } from "./view.ts";
import { workspacePaths } from "./workspace-paths.ts";

export type TerminalSettings = Pick<
  RunSettings,
  | "prompt"
  | "configDir"
  | "isPlain"
  | "oneshot"
  | "exitOnError"
  | "isEphemeral"
  | "dataDir"
  | "secrets"
  | "modes"
  | "rules"
> & { readonly model: Pick<RunSettings["model"], "profiles"> } & Partial<Pick<RunSettings, "commands">>;

const NO_COMMANDS: RunCommands = { list: [], problems: [] };

/** The input may come from a program that reads the questions, or from one that wrote its answers before (L7). */
const PIPE_NOTICE =
  "stdin is not a terminal: a line answers a question only if it comes after the question, and the end of the input ends the run at the next one. To run without questions, pass --print or -y, or allow the calls by rules (docs/guide/settings.md).\n";

/** The terminal user interface of a task: shows it line by line, and asks the user. */
export class Terminal {
  readonly #task: Task;
  readonly #host: RunHost;
  readonly #settings: TerminalSettings;
  readonly #leave: Leave;
  readonly #io: Io;
  readonly #stderr: Io["stderr"];
  readonly #ui: TerminalInterface;
  readonly #style: Style;
  /** One for each task of the subtask tree, by its id. */
  readonly #views = new Map<string, { readonly task: Task; readonly view: TerminalView }>();
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #modes: Modes;
  #ask: Ask | undefined;
  /** The task of that ask. */
  #asker: Task;
  /** The choice that follows "always" at that ask. */
  #choice: AlwaysChoice | undefined;
  /** The proposal of that ask in the person's editor, or as edited there. */
  #edit: "open" | EditedProposal | undefined;
  /** The question of a slash command. It is shown before that of the ask. */
  #query: { readonly question: string; readonly answer: (line: string) => void } | undefined;
  /** Resolves with the id of the task that the user changes to. */
  readonly next: Promise<string>;
  #changeTo: (taskId: string) => void = () => {};
  /** Whether the input is a terminal. */
  readonly #isPerson: boolean;
  /** Whether the task has started. */
  #isRunning: boolean;
  #isResumed: boolean;
  #isOver = false;
  #isHintShown = false;

  /** @param now in milliseconds */
  constructor(
    task: Task,
    host: RunHost,
    settings: TerminalSettings,
    io: Io,
    leave: Leave,
    now: () => number = Date.now,
  ) {
    this.#task = task;
    this.#asker = task;
    this.next = new Promise((resolve) => {
      this.#changeTo = resolve;
    });
    this.#host = host;
    this.#settings = settings;
    this.#modes = createModes(settings.modes);
    this.#leave = leave;
    this.#io = io;
    this.#stderr = io.stderr;
    this.#now = now;
    this.#startedAt = now();
    this.#isPerson = io.stdin.isTTY === true;
    this.#isRunning = task.log.length > 0;
    this.#isResumed = this.#isRunning;
    this.#style = createStyle(io.stdout, settings.isPlain ? { NO_COLOR: "1" } : io.env);
    this.#ui = openInterface({
      io,
      style: this.#style,
      listener: {
        line: (text, isAnswer) => this.#handleLine(text, isAnswer),
        interrupt: () => this.interrupt(),
        escape: () => this.#cancelRunning(),
        shiftTab: () => this.#selectNextMode(),
        complete: (line) => this.#complete(line),
        report: (problem) => this.#note(problem),
        end: () => this.#inputEnded(),
      },
      history: new PromptHistory(settings.isEphemeral ? undefined : settings.dataDir, settings.secrets),
      status: (width) => this.#status(width),
      queued: () => this.#focus.snapshot.context.queue.map(({ text }) => text),
      isPlain: settings.isPlain,
    });
    this.#ui.onBroken(() => this.#end(EXIT.failed));
    const view = this.#newView();
    if (this.#isResumed) showHistory(task.log.toArray(), view, this.#ui.output, this.#style.dim);
    this.#follow(task, view);
    subtasksOf(task, host).subscribe((opened) => this.#followSubtask(opened));
  }

  /** Start with the given prompt, or ask for one; a resumed task shows its open asks. */
  start(): void {
    if (!this.#isPerson) this.#warnAboutPipe();
    else if (!this.#isRunning) this.#showFirstScreen();
    this.#begin();
  }

  #begin(): void {
    const isResumed = this.#isResumed;
    this.#isResumed = false;
    if (isResumed && this.#settings.prompt === undefined) {
      for (const ask of this.#task.asks) this.#show(ask, this.#task);
      return;
    }
    if (this.#settings.prompt === undefined) this.#ui.lines.ask("Task prompt: ");
    else this.#startTask(this.#settings.prompt);
  }

  /** Without a prompt there may be no task, and where everything is approved there is no question. */
  #warnAboutPipe(): void {
    const isAsked = this.#task.snapshot.context.permissions.mode !== "bypass";
    if (isAsked && (this.#isRunning || this.#settings.prompt !== undefined)) this.#stderr.write(PIPE_NOTICE);
  }

  #showFirstScreen(): void {
    for (const line of formatFirstScreen(this.#task, this.#settings.configDir, this.#style))
      this.#ui.output.line(line);
  }

  /** Cancel a running task; quit if it is at rest. The question of a command is answered by no. */
  interrupt(): void {
    // The interrupt is for the program that has the terminal.
    if (this.#ui.isAway || this.#edit === "open") return;
    if (this.#query !== undefined) {
      this.#answerQuery("");
      this.#ui.lines.withdraw();
      this.#askAgain();
      return;
    }
    const { state } = this.#task.state;
    if (!this.#isRunning || state === "idle" || state === "resumable") this.#end(EXIT.interrupted);
    else this.#task.cancel();
  }

  /** Esc interrupts a running task, and never quits. */
  #cancelRunning(): void {
    const { state } = this.#task.state;
    if (this.#isRunning && state !== "idle" && state !== "resumable") this.#task.cancel();
  }

  close(): void {
    this.#isOver = true;
    this.#ui.close();
  }

  #followSubtask(task: Task): void {
    if (this.#isOver) return;
    const event = task.log.length === 0 ? "started" : "resumed";
    const { mode } = task.snapshot.context;
    this.#ui.output.line(
      this.#style.bold(`== Subtask ${subtaskNumber(task)} ${event}, mode ${printable(mode)}`),
    );
    this.#follow(task, this.#newView());
  }

  #follow(task: Task, view: TerminalView): void {
    this.#views.set(task.id, { task, view });
    task.events$.subscribe((shown) => {
      if (this.#isOver) return;
      view.show(shown);
      const result = completionResult(shown);
      if (result !== undefined && task.parent !== undefined)
        this.#views.get(task.parent.taskId)?.view.markResultShown(result);
      this.#withdrawClosedAsk();
      this.#ui.refresh();
    });
    task.asks$.subscribe((ask) => this.#show(ask, task));
  }

  /** The view of the task in focus. */
  get #view(): TerminalView | undefined {
    return this.#views.get(this.#focus.id)?.view;
  }

  /** The task in focus: the one that is run, or its subtask. */
  get #focus(): Task {
    return this.#host.focus(this.#task.id) ?? this.#task;
  }

  #newView(): TerminalView {
    return new TerminalView(this.#ui.output, this.#style, this.#ui.modelText);
  }

  #status(width: number): string {
    const task = this.#focus;
    const { context } = task.snapshot;
    const { mode, permissions, queue, contextTokens, compaction } = context;
    const model = selectedModel(context);
    const contextWindow = model?.contextWindow;
    const totals = [...this.#views.values()].map((each) => each.task.snapshot.context.total);
    return formatStatusLine(
      {
        state: task.state.state,
        mode,
        permissionMode: permissions.mode,
        model: model?.id ?? "",
        usage: totals.reduce(addUsage, NO_USAGE),
        todos: this.#view?.todos,
        elapsedMs: this.#now() - this.#startedAt,
        queued: queue.length,
        windowShare: contextWindow === undefined ? undefined : contextTokens / contextWindow,
        isCompacting: compaction?.state === "requested",
      },
      width,
      this.#style,
    );
  }

  #end(code: number): void {
    this.#isOver = true;
    this.#leave(code);
  }

  #startTask(prompt: string): void {
    if (!this.#hasDataFolder()) {
      this.#end(EXIT.failed);
      return;
    }
    this.#isRunning = true;
    // The end of the task is shown by its messages.
    this.#task.run(prompt).catch(() => undefined);
  }

  /** A task whose journal can't be written would never begin. */
  #hasDataFolder(): boolean {
    const { isEphemeral, dataDir } = this.#settings;
    try {
      if (!isEphemeral) createDataFolder(dataDir);
      return true;
    } catch (error) {
      this.#ui.output.freshLine();
      this.#stderr.write(formatCliError(errorMessage(error)));
      return false;
    }
  }

  #show(ask: Ask, asker: Task): void {
    if (!isHandledHere(asker, this.#task, ask.kind, this.#host)) return;
    // An accepted completion still takes answers: then the run is over.
    if (this.#isOver || this.#isResumed || (asker === this.#asker && ask.id === this.#ask?.id)) return;
    this.#ask = ask;
    this.#asker = asker;
    this.#choice = undefined;
    this.#dropEdit();
    if (this.#isCompletion(ask) && this.#settings.oneshot) this.#end(EXIT.done);
    if (ask.kind === "api_req_failed" && this.#settings.exitOnError) this.#end(EXIT.failed);
    if (this.#isOver) return;
    if (ask.kind === "command_output") this.#showCommandHint();
    if (ask.kind === "followup") this.#showQuestion(ask);
    this.#askPerson(ask);
  }

  /** Whether this is the completion of the run, not of a subtask. */
  #isCompletion({ kind }: Ask): boolean {
    return kind === "completion_result" && this.#asker === this.#task;
  }

  #askPerson(ask: Ask): void {
    if (this.#query !== undefined) return;
    const question = this.#questionOf(ask);
    if (question === undefined || this.#edit === "open") return;
    if (this.#ui.lines.isOver) this.#endUnanswered(ask);
    else this.#ui.lines.ask(`${this.#style.bold(question.trimEnd())} `);
  }

  #offered(ask: Ask): OfferedWords {
    return {
      always: this.#isAlwaysOffered(ask),
      edit: offersEdit(ask, this.#io),
      view: hiddenContent(ask) !== undefined,
    };
  }

  #questionOf(ask: Ask): string | undefined {
    if (this.#edit instanceof EditedProposal) return this.#edit.question;
    return this.#choice?.question ?? formatQuestion(ask, this.#offered(ask));
  }

  #showQuestion({ question, suggestions }: Extract<Ask, { kind: "followup" }>): void {
    this.#ui.output.line(`${this.#style.bold("?")} ${printable(question)}`);
    for (const [index, { answer, mode }] of suggestions.entries())
      this.#ui.output.line(
        `  ${index + 1}. ${printable(answer)}${mode === undefined ? "" : ` (mode ${printable(mode)})`}`,
      );
  }

  #showCommandHint(): void {
    if (this.#isHintShown || this.#ui.lines.isOver) return;
    this.#isHintShown = true;
    this.#ui.output.line(this.#style.dim("  (b + Enter: continue in the background; k + Enter: terminate)"));
  }

  #withdrawClosedAsk(): void {
    const ask = this.#ask;
    if (ask === undefined || this.#asker.asks.some(({ id }) => id === ask.id)) return;
    this.#ask = undefined;
    this.#choice = undefined;
    this.#dropEdit();
    if (this.#query === undefined) this.#ui.lines.withdraw();
  }

  #handleLine(text: string, isAnswer: boolean): void {
    if (this.#isOver) return;
    if (isAnswer && this.#query !== undefined) {
      this.#answerQuery(text);
      this.#askAgain();
      return;
    }
    if (this.#runSlashCommand(text)) {
      if (isAnswer) this.#askAgain();
      return;
    }
    if (!this.#isRunning) {
      if (text.trim() === "") this.#begin();
      else {
        this.#view?.markTyped(text);
        this.#startTask(text);
      }
      return;
    }
    const ask = this.#ask;
    if (ask?.kind === "command_output" && this.#controlCommand(ask, text.trim())) return;
    if (isAnswer && ask !== undefined && ask.kind !== "command_output") this.#answer(ask, text);
    else if (text.trim() !== "") this.#queue(text);
  }

  #runSlashCommand(text: string): boolean {
    return runSlashCommand(text, this.#slashContext);
  }

  #complete(line: string): Promise<Completion> {
    return complete(line, {
      commands: completableCommands(this.#slashContext),
      files: (folder) => workspacePaths(this.#task.workspace, folder),
    });
  }

  get #slashContext(): SlashContext {
    const { rules, dataDir, isEphemeral, model, commands = NO_COMMANDS } = this.#settings;
    return {
      task: () => this.#focus,
      root: this.#task,
      tasks: () => [...this.#views.values()].map(({ task }) => task),
      modes: this.#modes,
      profiles: model.profiles,
      commands,
      rules,
      dataDir,
      history: isEphemeral ? undefined : openHistory({ dataDir }),
      style: this.#style,
      say: (line) => this.#note(line),
      show: (line) => this.#showLine(line),
      ask: (question) => this.#askQuery(question),
      send: (text) => this.#send(text),
      changeTo: (taskId) => this.#leaveFor(taskId),
      cancel: () => this.#task.cancel(),
      quit: () => this.#end(EXIT.done),
    };
  }

  #askQuery(question: string): Promise<string> {
    return new Promise((answer) => {
      this.#query = { question: this.#style.bold(question), answer };
      if (this.#isOver || this.#ui.lines.isOver) this.#answerQuery("");
      else this.#ui.lines.ask(this.#query.question);
    });
  }

  #answerQuery(line: string): void {
    const query = this.#query;
    this.#query = undefined;
    query?.answer(line);
  }

  #leaveFor(taskId: string): void {
    this.#isOver = true;
    this.#changeTo(taskId);
  }

  /** Send a message that a command made. */
  #send(text: string): void {
    this.#showLine(this.#style.bold(`> ${printable(text)}`));
    this.#view?.markTyped(text);
    const ask = this.#ask;
    if (!this.#isRunning) this.#startTask(text);
    else if (ask?.kind === "resume_task") ask.resume({ text });
    else if (ask?.kind === "resume_completed_task") ask.reply(text);
    else if (ask?.kind === "completion_result" && this.#isCompletion(ask)) ask.reply(text);
    else {
      const result = this.#focus.queue(text);
      this.#note(result.queued ? "Queued for the next request." : result.message);
    }
  }

  /** Show the open question again. */
  #askAgain(): void {
    if (this.#isOver) return;
    if (this.#query !== undefined) this.#ui.lines.ask(this.#query.question);
    else if (!this.#isRunning) this.#begin();
    else if (this.#ask !== undefined) this.#askPerson(this.#ask);
  }

  #controlCommand(ask: Extract<Ask, { kind: "command_output" }>, line: string): boolean {
    if (line !== "b" && line !== "k") return false;
    const result = line === "b" ? ask.proceed() : ask.abort();
    const done = line === "b" ? "The command continues in the background." : "The command was terminated.";
    this.#note(result.taken ? done : result.message);
    return true;
  }

  #isAlwaysOffered(ask: Ask): ask is AlwaysAsk {
    return this.#settings.rules.isAlwaysOffered && offersAlways(ask);
  }

  /** Change to the next permission mode. It is in the status line. */
  #selectNextMode(): void {
    if (this.#isOver) return;
    const mode = nextMode(this.#task.snapshot.context.permissions.mode);
    const result = this.#task.changePermissions({ mode });
    if (!result.changed) this.#note(result.message);
    else if (!this.#ui.isLive) this.#note(`The permission mode is ${mode}.`);
  }

  /** Show the rules that "always" can mean. */
  #showChoice(ask: ApprovalAsk, choice: AlwaysChoice): void {
    this.#choice = choice;
    for (const line of choice.lines) this.#ui.output.line(line);
    this.#askPerson(ask);
  }

  #choose(ask: ApprovalAsk, choice: AlwaysChoice, line: string): void {
    const reaction = choice.read(line);
    if (reaction.kind === "selected") {
      this.#showChoice(ask, choice);
      return;
    }
    this.#choice = undefined;
    if (reaction.kind === "back") this.#askPerson(ask);
    else if (reaction.place === "session") this.#allowInSession(ask, reaction.rule);
    else void this.#allowInProject(ask, reaction.rule);
  }

  #allowInSession(ask: ApprovalAsk, rule: string): void {
    const result = ask.approve({ rule });
    // The rule of a subtask's ask is for the whole session.
    if (result.taken && this.#asker !== this.#task) {
      const { rules } = this.#task.snapshot.context.permissions;
      this.#task.changePermissions({ rules: [...rules, { level: "allow", rule }] });
    }
    this.#note(result.taken ? `Allowed in this session: ${printable(rule)}` : result.message);
  }

  /** The call is approved once the file has the rule. */
  async #allowInProject(ask: ApprovalAsk, rule: string): Promise<void> {
    try {
      await this.#settings.rules.addToProject({ level: "allow", rule });
    } catch (error) {
      if (this.#isOver) return;
      this.#note(printable(errorMessage(error)));
      if (this.#ask === ask) this.#askPerson(ask);
      return;
    }
    const result = ask.approve();
    this.#task.changePermissions({});
    if (this.#isOver) return;
    this.#note(`Allowed in this project: ${printable(rule)}`);
    if (!result.taken) this.#note(result.message);
  }

  #dropEdit(): void {
    if (this.#edit !== "open") this.#edit = undefined;
  }

  /** Open the editor on the proposal; then show what it became, and ask again. */
  async #openEditor(ask: EditableAsk, text: string = ask.proposal.after): Promise<void> {
    this.#edit = "open";
    await this.#ui.leaveTo(async () => {
      const result = await editProposal(ask, text, this.#io);
      this.#edit = undefined;
      if (this.#isOver) return;
      if (result.kind === "unchanged") this.#note(printable(result.why));
      else this.#showEdited(ask, new EditedProposal(ask, result.text));
    });
    if (this.#edit === "open") this.#edit = undefined;
    if (this.#isOver) return;
    if (this.#ask === ask) this.#askPerson(ask);
    else this.#askAgain();
  }

  /** Show what was edited, also for an ask that was closed meanwhile: it would be lost. */
  #showEdited(ask: EditableAsk, edited: EditedProposal): void {
    for (const line of edited.lines(this.#style)) this.#ui.output.line(`  ${line}`);
    if (this.#ask === ask) this.#edit = edited;
    else this.#note("The ask was closed meanwhile, so the edit is not used.");
  }

  #answerEdit(ask: EditableAsk, edited: EditedProposal, line: string): void {
    const reaction = edited.read(line);
    if (reaction === "edit") {
      void this.#openEditor(ask, edited.text);
      return;
    }
    const result = reaction === "approve" ? ask.approve({ amendment: edited.amendment }) : undefined;
    if (result?.taken === false) this.#note(result.message);
    else this.#edit = undefined;
    if (result?.taken !== true) this.#askPerson(ask);
  }

  /** Handle a line that is no answer yet: an edit, a rule, or a look at what is hidden. Returns whether it was one. */
  #prepareAnswer(ask: BlockingAsk, text: string): boolean {
    const word = answerWord(text);
    if (this.#choice !== undefined && this.#isAlwaysOffered(ask)) this.#choose(ask, this.#choice, text);
    else if (this.#edit instanceof EditedProposal && offersEdit(ask, this.#io))
      this.#answerEdit(ask, this.#edit, text);
    else if (word === "edit" && offersEdit(ask, this.#io)) void this.#openEditor(ask);
    else if (word === "always" && this.#isAlwaysOffered(ask))
      this.#showChoice(ask, new AlwaysChoice(ask.rules));
    else {
      const hidden = word === "view" ? hiddenContent(ask) : undefined;
      if (hidden !== undefined) void this.#page(ask, hidden);
      return hidden !== undefined;
    }
    return true;
  }

  #answer(ask: BlockingAsk, text: string): void {
    if (this.#prepareAnswer(ask, text)) return;
    const isAccepted = this.#isCompletion(ask) && (text.trim() === "" || answerWord(text) === "yes");
    this.#view?.markTyped(text.trim());
    const reaction = applyAnswer(ask, text);
    if (reaction.kind === "leave") this.#end(EXIT.done);
    else if (reaction.kind === "unclear") {
      this.#note(reaction.hint);
      this.#askPerson(ask);
    } else if (!reaction.result.taken) this.#note(reaction.result.message);
    else if (isAccepted) this.#end(EXIT.done);
  }

  /** Show what is hidden of an ask, and ask again. */
  async #page(ask: BlockingAsk, content: string): Promise<void> {
    await this.#ui.page(content);
    if (this.#ask === ask) this.#askAgain();
  }

  #queue(text: string): void {
    const result = this.#focus.queue(text);
    this.#note(result.queued ? `Queued for the next request: ${printable(text)}` : result.message);
  }

  #note(text: string): void {
    this.#showLine(this.#style.dim(text));
  }

  /** A command may end after the run. */
  #showLine(line: string): void {
    if (!this.#isOver) this.#ui.output.line(line);
  }

  #inputEnded(): void {
    this.#answerQuery("");
    if (this.#ask !== undefined) this.#endUnanswered(this.#ask);
    else if (!this.#isRunning) this.#endWithoutPrompt();
  }

  /** End a run that never got a prompt. At a terminal this is quitting, else an error. */
  #endWithoutPrompt(): void {
    if (!this.#isPerson) {
      this.#ui.output.freshLine();
      const message = "no prompt, and stdin has ended: expected one as an argument, or in --prompt-file.";
      this.#stderr.write(formatCliError(message));
    }
    this.#end(this.#isPerson ? EXIT.done : EXIT.failed);
  }

  /** End a run whose ask can't be answered. A completed task needs no answer; a user may quit a task at rest. */
  #endUnanswered(ask: Ask): void {
    if (formatQuestion(ask) === undefined) return;
    const isOwn = this.#asker === this.#task;
    const isLeft = this.#isPerson && ask.kind === "resume_task";
    const isComplete = this.#isCompletion(ask) || (isOwn && ask.kind === "resume_completed_task");
    if (isComplete || isLeft) {
      this.#end(EXIT.done);
      return;
    }
    this.#ui.output.freshLine();
    this.#stderr.write(formatCliError(formatUnanswered(ask, "stdin has ended")));
    this.#end(EXIT.failed);
  }
}
