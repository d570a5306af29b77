import type { AnswerResult } from "../../actors/ask/open-asks.ts";
import { printable } from "../../client/printable/printable.ts";
import { answerWord } from "../../client/roo/console/answer-word.ts";
import type { BlockingAsk } from "../../client/roo/console/ask-prompt.ts";
import { isAtRest } from "../../machines/message/states.ts";
import type { PermissionMode } from "../../machines/tool-call/permissions.ts";
import { isApproval } from "../../present/asks.ts";
import type { Ask } from "../../runtime/task/ask.ts";
import type { Task } from "../../runtime/task/task.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { createModes, type Modes } from "../../tools/modes/modes.ts";
import { createDataFolder } from "../data-folder.ts";
import { EXIT, errorMessage, formatCliError } from "../error.ts";
import type { Io } from "../io.ts";
import type { Leave, RunCommands, RunSettings, TaskSettings, TerminalAttention } from "../run/settings.ts";
import { isHandledHere, type RunHost, subtaskNumber, subtasksOf } from "../run/subtasks.ts";
import { showHistory } from "../show/message-feed.ts";
import { createStyle, type Style } from "../show/style.ts";
import type { SubtaskNames } from "../show/subtask-names.ts";
import { AskDialog, type DialogTerminal } from "./ask-dialog.ts";
import { AskQueue, isOpenAsk } from "./ask-queue.ts";
import { Attention } from "./attention.ts";
import { CommandQuery } from "./command-query.ts";
import { type Completion, complete } from "./completion.ts";
import { formatFirstScreen } from "./first-screen.ts";
import { formatFollowup } from "./followup.ts";
import type { Choices } from "./input/choice-menu.ts";
import { PromptHistory } from "./input/prompt-history.ts";
import { endUnanswered, endWithoutPrompt, type RunEnd } from "./input-end.ts";
import { openInterface, type TerminalInterface } from "./interface.ts";
import { menuItems } from "./menu-items.ts";
import type { NextTask } from "./next-task.ts";
import { OwnCommands } from "./own-commands.ts";
import { formatChange, nextMode } from "./permission-command.ts";
import { pipeNotice } from "./pipe-notice.ts";
import { applyAnswer, takesMessage } from "./questions.ts";
import { completableCommands, runSlashCommand } from "./slash-commands.ts";
import type { SlashContext } from "./slash-context.ts";
import { formatState, formatStatusLine } from "./status-line.ts";
import { type TaskScreen, TaskViews, taskName } from "./task-views.ts";
import { backgroundCommands } from "./tasks-command.ts";
import { lineMeaning } from "./typed-key.ts";
import { workspacePaths } from "./workspace-paths.ts";

export type TerminalSettings = Pick<
  RunSettings,
  "prompt" | "isPlain" | "oneshot" | "exitOnError" | "isEphemeral" | "dataDir" | "secrets" | "rules"
> & {
  readonly task: Pick<TaskSettings, "configDir" | "modes">;
  readonly model: Pick<RunSettings["model"], "profiles">;
} & Partial<Pick<RunSettings, "attention" | "commands" | "isVerbose" | "mcpStates">>;

export interface TerminalOptions {
  /** The time, in milliseconds since 1970. */
  readonly now?: () => number;
  /** The names of the subtasks that the task had started before this run. */
  readonly names?: SubtaskNames;
}

const NO_COMMAND = "Expected a command after '!'. A space before it sends the line to the agent.";
const GOES_WITH_NEXT =
  "The output goes to the model with your next message. To keep it to yourself, type ! alone.";
const NO_ATTENTION: TerminalAttention = { bell: false, title: false };
const NO_COMMANDS: RunCommands = { list: [], problems: [], untrusted: [] };

/** `unstarted`: there is no prompt yet. `resumed`: the asks of the opened task are not shown yet. */
type Phase = "unstarted" | "resumed" | "running" | "over";

/** The terminal user interface of a task: shows it line by line, and asks the user. */
export class Terminal {
  readonly #task: Task;
  readonly #host: RunHost;
  readonly #settings: TerminalSettings;
  readonly #leave: Leave;
  readonly #stderr: Io["stderr"];
  readonly #ui: TerminalInterface;
  readonly #style: Style;
  readonly #views: TaskViews;
  readonly #modes: Modes;
  readonly #asks = new AskQueue();
  readonly #query = new CommandQuery();
  readonly #ownCommands: OwnCommands;
  readonly #attention: Attention;
  /** Resolves with the task that the user changes to. */
  readonly next: Promise<NextTask>;
  #changeTo: (next: NextTask) => void = () => {};
  /** Whether the input is a terminal. */
  readonly #isPerson: boolean;
  #phase: Phase;
  #isHintShown = false;
  readonly #now: () => number;

  constructor(
    task: Task,
    host: RunHost,
    settings: TerminalSettings,
    io: Io,
    leave: Leave,
    { now = Date.now, names = new Map() }: TerminalOptions = {},
  ) {
    this.#task = task;
    this.#now = now;
    this.next = new Promise((resolve) => {
      this.#changeTo = resolve;
    });
    this.#host = host;
    this.#settings = settings;
    this.#modes = createModes(settings.task.modes);
    this.#ownCommands = new OwnCommands(settings.secrets);
    this.#leave = leave;
    this.#stderr = io.stderr;
    this.#isPerson = io.stdin.isTTY === true;
    this.#phase = task.log.length > 0 ? "resumed" : "unstarted";
    this.#style = createStyle(io.stdout, settings.isPlain ? { NO_COLOR: "1" } : io.env);
    const startedAt = now();
    this.#ui = openInterface({
      io,
      style: this.#style,
      listener: {
        line: (text, isAnswer) => this.#handleLine(text, isAnswer),
        interrupt: () => this.interrupt(),
        escape: () => this.#cancelRunning(),
        escapeTwice: () => this.#rewind(),
        shiftTab: () => this.#selectNextMode(),
        complete: (line) => this.#complete(line),
        menu: (head) => menuItems(head, this.#slashContext, this.#files),
        report: (problem) => this.#note(problem),
        end: () => this.#inputEnded(),
      },
      history: new PromptHistory(settings.isEphemeral ? undefined : settings.dataDir, settings.secrets),
      status: (width) => formatStatusLine(this.#views.status(now() - startedAt), width, this.#style),
      queued: () => this.#views.focus.snapshot.context.queue.map(({ text }) => text),
      isPlain: settings.isPlain,
    });
    this.#attention = new Attention(io, task.workspace, settings.attention ?? NO_ATTENTION, this.#ui.isLive);
    this.#ui.onBroken(() => {
      this.#phase = "over";
      leave(EXIT.failed);
    });
    this.#views = new TaskViews({
      ...{ root: task, host, ui: this.#ui, style: this.#style },
      isVerbose: settings.isVerbose === true,
      names,
      asker: () => this.#dialog?.asker,
    });
    const screen = this.#views.open(task);
    this.#drawAttention();
    if (this.#phase === "resumed") {
      showHistory(task.log.toArray(), screen.view, this.#ui.output, this.#style.dim);
      this.#views.showEnds(screen);
    }
    this.#follow(screen);
    subtasksOf(task, host).subscribe((opened) => this.#followSubtask(opened));
  }

  /** Start with the given prompt, or ask for one; a resumed task shows its open asks. */
  start(): void {
    const isStarted = this.#phase === "resumed" || this.#settings.prompt !== undefined;
    if (!this.#isPerson) this.#stderr.write(pipeNotice(this.#task, isStarted));
    else if (this.#phase === "unstarted") this.#showFirstScreen();
    this.#begin();
  }

  #begin(): void {
    const { prompt } = this.#settings;
    if (prompt !== undefined) this.#startTask(prompt);
    else if (this.#phase === "unstarted") this.#ui.lines.ask("Task prompt: ");
    else {
      this.#phase = "running";
      for (const ask of this.#task.asks) this.#show(ask, this.#task);
    }
  }

  #showFirstScreen(): void {
    for (const line of formatFirstScreen(this.#task, this.#settings.task.configDir, this.#style))
      this.#ui.output.line(line);
  }

  /** Cancel a running task; quit if it is at rest. The question of a command is answered by no. */
  interrupt(): void {
    // The interrupt is for the program that has the terminal.
    if (this.#ui.lines.isAway) return;
    if (this.#query.answer("")) {
      this.#ui.lines.withdraw();
      this.#askAgain();
    } else if (this.#canCancel()) this.#task.cancel();
    else this.#end(EXIT.interrupted);
  }

  /** Esc interrupts a running task, and never quits. */
  #cancelRunning(): boolean {
    const canCancel = this.#canCancel();
    if (canCancel) this.#task.cancel();
    return canCancel;
  }

  /** Esc twice rewinds a task at rest. */
  #rewind(): void {
    if (this.#phase !== "running" || this.#query.open !== undefined) return;
    runSlashCommand("/rewind", this.#slashContext);
  }

  #canCancel(): boolean {
    const { state } = this.#task.state;
    return this.#phase !== "unstarted" && !isAtRest(state);
  }

  close(): void {
    this.#phase = "over";
    this.#attention.close();
    this.#ui.close();
  }

  #drawAttention(): void {
    const status = this.#views.status(0);
    const { state } = status;
    const isWorking = state === "running" || state === "streaming";
    this.#attention.show({ isWorking, state: formatState(status) });
  }

  #followSubtask(task: Task): void {
    if (this.#phase === "over") return;
    const screen = this.#views.open(task);
    this.#views.showStart(screen);
    this.#follow(screen);
  }

  #follow(screen: TaskScreen): void {
    const { task, speaker } = screen;
    task.events$.subscribe({
      next: (commit) => {
        if (this.#phase === "over") return;
        this.#views.show(screen, commit);
        this.#update();
      },
      complete: () => {
        if (this.#phase === "over") return;
        speaker.rest();
        this.#update();
      },
    });
    task.asks$.subscribe((ask) => {
      if (ask.kind === "command_output") this.#show(ask, task);
      else speaker.afterwards(() => this.#show(ask, task));
    });
  }

  #update(): void {
    this.#withdrawClosedAsk();
    this.#ui.refresh();
    this.#drawAttention();
  }

  /** The dialog whose question is shown. */
  get #dialog(): AskDialog | undefined {
    return this.#asks.shown;
  }

  #end(code: number): void {
    this.#finish();
    this.#leave(code);
  }

  /** End the output with the commands in the background: they are terminated when their tasks are closed. */
  #finish(): void {
    for (const command of backgroundCommands(this.#views.tasks))
      this.#ui.output.line(this.#style.dim(`Terminated with the task: ${command}`));
    this.#phase = "over";
  }

  #endWith({ code, problem }: RunEnd): void {
    if (problem !== undefined) {
      this.#ui.output.freshLine();
      this.#stderr.write(formatCliError(problem));
    }
    this.#end(code);
  }

  #startTask(prompt: string): void {
    const problem = this.#dataFolderProblem();
    if (problem !== undefined) {
      this.#endWith({ code: EXIT.failed, problem });
      return;
    }
    this.#phase = "running";
    // The end of the task is shown by its messages.
    this.#task.run(prompt).catch(() => undefined);
  }

  /** A task whose journal can't be written would never begin. */
  #dataFolderProblem(): string | undefined {
    const { isEphemeral, dataDir } = this.#settings;
    try {
      if (!isEphemeral) createDataFolder(dataDir);
      return undefined;
    } catch (error) {
      return errorMessage(error);
    }
  }

  #show(ask: Ask, asker: Task): void {
    if (this.#phase === "over" || this.#phase === "resumed") return;
    if (!isHandledHere(asker, this.#task, ask.kind, this.#host) || !isOpenAsk(ask, asker)) return;
    // An accepted completion still takes answers: then the run is over.
    if (this.#asks.has(ask, asker)) return;
    const dialog = new AskDialog(ask, asker, this.#dialogTerminal);
    this.#asks.add(dialog);
    const code = this.#exitAt(dialog);
    if (code !== undefined) {
      this.#end(code);
      return;
    }
    if (ask.kind === "command_output") this.#showCommandHint();
    else if (this.#dialog === dialog) this.#present(dialog);
  }

  /** Show the question of a task. */
  #present(dialog: AskDialog): void {
    const { ask, asker } = dialog;
    const { length: queued } = asker.snapshot.context.queue;
    if (ask.kind === "resume" && queued > 0)
      this.#note(
        `${queued === 1 ? "1 queued message goes" : `${queued} queued messages go`} with what is sent next. /queue lists them.`,
      );
    const { speaker } = this.#views.screenOf(asker) ?? {};
    if (ask.kind === "question") for (const line of formatFollowup(ask, this.#style)) speaker?.line(line);
    this.#askPerson(dialog);
  }

  /** Show the next question, once the text that is being streamed is complete. */
  #presentNext(): void {
    const dialog = this.#dialog;
    if (dialog === undefined) return;
    const { ask, asker } = dialog;
    this.#views.screenOf(asker)?.speaker.afterwards(() => {
      if (this.#phase === "over" || this.#dialog !== dialog) return;
      this.#views.showAskAgain(ask, asker);
      this.#present(dialog);
    });
  }

  get #dialogTerminal(): DialogTerminal {
    return {
      ui: this.#ui,
      style: this.#style,
      rules: this.#settings.rules,
      root: this.#task,
      show: (line) => this.#showLine(line),
      note: (text) => this.#note(text),
      isOpen: (dialog) => this.#dialog === dialog,
      askAgain: (dialog) => {
        if (this.#dialog === dialog) this.#askAgain();
      },
    };
  }

  /** The exit code of a run that ends at this ask. */
  #exitAt(dialog: AskDialog): number | undefined {
    const { oneshot, exitOnError } = this.#settings;
    if (oneshot && this.#isCompletion(dialog)) return EXIT.done;
    return exitOnError && dialog.ask.kind === "failure" ? EXIT.failed : undefined;
  }

  /** Whether this is the completion of the run, not of a subtask. */
  #isCompletion({ ask, asker }: AskDialog): boolean {
    return ask.kind === "completion" && asker === this.#task;
  }

  #askPerson(dialog: AskDialog): void {
    const { question } = dialog;
    if (this.#query.open !== undefined || question === undefined) return;
    if (this.#ui.lines.isOver) this.#endUnanswered(dialog);
    else {
      const choices = { isList: false, items: dialog.choices };
      const { asker } = dialog;
      const named = this.#views.named(question);
      const asking = asker === this.#task ? named : `${taskName(asker)}: ${named}`;
      this.#askLine(`${this.#style.bold(asking.trimEnd())} `, choices);
    }
  }

  #showCommandHint(): void {
    if (this.#isHintShown || this.#ui.lines.isOver) return;
    this.#isHintShown = true;
    this.#ui.output.line(this.#style.dim("  (b + Enter: continue in the background; k + Enter: terminate)"));
  }

  #withdrawClosedAsk(): void {
    if (!this.#asks.removeClosed()) return;
    if (this.#query.open === undefined) this.#ui.lines.withdraw();
    this.#presentNext();
  }

  #handleLine(text: string, isAnswer: boolean): void {
    if (this.#phase === "over") return;
    if (isAnswer && this.#query.answer(text)) this.#askAgain();
    else if (this.#ui.shell !== undefined && text.startsWith("!"))
      void this.#runOwn(this.#ui.shell, text.slice(1).trim());
    else if (runSlashCommand(text, this.#slashContext)) {
      if (isAnswer) this.#askAgain();
    } else if (this.#phase === "unstarted") this.#takePrompt(text);
    else this.#takeMessage(text, isAnswer);
  }

  #takePrompt(text: string): void {
    if (text.trim() === "") this.#begin();
    else {
      const prompt = this.#ownCommands.attachedTo(text);
      this.#views.markTyped(prompt);
      this.#startTask(prompt);
      this.#ownCommands.clear();
    }
  }

  /** Run a command of the user. Its output goes to the model with the next message, unless the user drops it. */
  async #runOwn(shell: NonNullable<TerminalInterface["shell"]>, command: string): Promise<void> {
    if (command === "") this.#note(formatDropped(this.#ownCommands.clear()));
    else {
      const ended = await shell(command, this.#task.workspace);
      if (ended !== undefined) {
        this.#ownCommands.add({ command, ...ended });
        this.#note(`${ended.end}. ${GOES_WITH_NEXT}`);
      }
    }
    this.#askAgain();
  }

  /** A line answers the open ask only if it comes after its question, and names no other task (L7). */
  #takeMessage(text: string, isAnswer: boolean): void {
    const dialog = this.#dialog;
    const meaning = lineMeaning(text, {
      question: dialog,
      hasCommands: this.#asks.commands.length > 0,
      hasSubtasks: this.#views.hasSubtasks,
    });
    if (meaning.kind === "command") {
      this.#note(this.#controlCommand(meaning.key, meaning.number));
      if (isAnswer) this.#askAgain();
    } else if (!isAnswer || dialog === undefined || dialog.ask.kind === "command_output") {
      if (text.trim() !== "") this.#queue(text);
    } else if (meaning.kind === "misdirected") {
      this.#note(meaning.problem);
      this.#askAgain();
    } else this.#answer(dialog, dialog.ask, meaning.kind === "answer" ? meaning.line : text);
  }

  #complete(line: string): Promise<Completion> {
    return complete(line, {
      commands: completableCommands(this.#slashContext),
      files: this.#files,
    });
  }

  readonly #files = (folder: string): Promise<readonly string[]> =>
    workspacePaths(this.#task.workspace, folder);

  get #slashContext(): SlashContext {
    const { rules, dataDir, isEphemeral, model, commands = NO_COMMANDS } = this.#settings;
    const { mcpStates = () => [] } = this.#settings;
    return {
      task: () => this.#views.focus,
      root: this.#task,
      tasks: () => this.#views.tasks,
      chooseTask: (task) => this.#views.choose(task),
      isAwaited: (task) => this.#views.isAwaited(task),
      now: this.#now,
      modes: this.#modes,
      profiles: model.profiles,
      commands,
      mcpStates,
      rules,
      dataDir,
      history: isEphemeral ? undefined : openHistory({ dataDir }),
      style: this.#style,
      say: (line) => this.#note(line),
      show: (line) => this.#showLine(line),
      ask: (question, choices) => this.#askQuery(question, choices),
      isLive: this.#ui.isLive,
      send: (text) => this.#send(text),
      changeTo: (next) => this.#leaveFor(next),
      cancel: () => this.#task.cancel(),
      quit: () => this.#end(EXIT.done),
    };
  }

  #askQuery(question: string, choices: Choices | undefined): Promise<string> {
    const answer = this.#query.ask(`${this.#style.bold(question.trimEnd())} `, choices);
    if (this.#phase === "over" || this.#ui.lines.isOver) this.#query.answer("");
    else this.#askAgain();
    return answer;
  }

  #leaveFor(next: NextTask): void {
    this.#finish();
    this.#changeTo(next);
  }

  /** Send a message that a command made. */
  #send(text: string): void {
    // A server may return its prompt after the run.
    if (this.#phase === "over") return;
    this.#showLine(this.#style.bold(`> ${printable(text)}`));
    const message = this.#ownCommands.attachedTo(text);
    this.#views.markTyped(message);
    const dialog = this.#dialog;
    if (this.#phase === "unstarted") this.#startTask(message);
    else if (dialog?.ask.kind === "resume") this.#noteRefusal(dialog.ask.approve({ text: message }));
    else if (dialog?.ask.kind === "resume_completed") this.#noteRefusal(dialog.ask.answer(message));
    else if (dialog?.ask.kind === "completion" && this.#isCompletion(dialog))
      this.#noteRefusal(dialog.ask.answer(message));
    else {
      this.#queue(text, ".");
      return;
    }
    this.#ownCommands.clear();
  }

  /** Show why a text was refused: it must not be lost silently. */
  #noteRefusal(result: AnswerResult): void {
    if (!result.ok) this.#note(result.message);
  }

  /** Show a question. Without a live screen its choices are typed. */
  #askLine(question: string, choices: Choices | undefined): void {
    this.#ui.lines.ask(question, this.#ui.isLive ? choices : undefined);
  }

  /** Show the open question again. */
  #askAgain(): void {
    if (this.#phase === "over") return;
    const { open } = this.#query;
    if (open !== undefined) this.#askLine(open.question, open.choices);
    else if (this.#phase === "unstarted") this.#begin();
    else if (this.#dialog !== undefined) this.#askPerson(this.#dialog);
  }

  /**
   * Leave (`b`) or terminate (`k`) the running command of the subtask with this number. Without a number: the only one, while
   * no question is open. Returns the remark about it.
   */
  #controlCommand(key: string, number: string | undefined): string {
    const { commands, shown } = this.#asks;
    const isUnclear = number === undefined && shown !== undefined;
    const named = commands.filter(({ asker }) => number === undefined || subtaskNumber(asker) === number);
    const [{ ask } = {}, other] = isUnclear ? [] : named;
    if (ask?.kind !== "command_output" || other !== undefined) {
      const numbers = commands.map(({ asker }) => subtaskNumber(asker)).join(", ") || "none";
      return `Expected ${key} and the number of a subtask whose command runs: ${numbers}.`;
    }
    const result = key === "b" ? ask.approve() : ask.reject();
    const done = key === "b" ? "The command continues in the background." : "The command was terminated.";
    return result.ok ? done : result.message;
  }

  /** Whether the open ask is about a tool call. */
  get #isCallOpen(): boolean {
    const ask = this.#dialog?.ask;
    return ask !== undefined && isApproval(ask.type);
  }

  /** Change to the next permission mode. It is in the status line. */
  #selectNextMode(): void {
    if (this.#phase === "over") return;
    let mode: PermissionMode | undefined;
    const result = this.#task.changePermissions((newest) => {
      mode = nextMode(newest.level, this.#isCallOpen);
      return { level: mode };
    });
    if (!result.ok) this.#note(result.message);
    else if (!this.#ui.isLive) this.#note(formatChange(`The permission mode is ${mode}`, result.held));
  }

  #answer(dialog: AskDialog, ask: BlockingAsk, text: string): void {
    if (dialog.handle(text)) return;
    const isAccepted = this.#isCompletion(dialog) && answerWord(text) === "yes";
    const isMessage = takesMessage(ask, text);
    const answer = isMessage ? this.#ownCommands.attachedTo(text) : text;
    this.#views.markTyped(answer.trim(), dialog.asker);
    const reaction = applyAnswer(ask, answer);
    if (isMessage && reaction.kind === "answered" && reaction.result.ok) this.#ownCommands.clear();
    if (reaction.kind === "leave") this.#end(EXIT.done);
    else if (reaction.kind === "unclear") {
      this.#note(reaction.hint);
      this.#askPerson(dialog);
    } else if (!reaction.result.ok) {
      this.#note(reaction.result.message);
      this.#askAgain();
    } else if (isAccepted) this.#end(EXIT.done);
    else if (isApproval(ask.type) && answerWord(text) === undefined)
      this.#note("Rejected. The model gets your text.");
  }

  #queue(text: string, about = `: ${printable(text)}`): void {
    const { focus } = this.#views;
    const result = focus.queue(this.#ownCommands.attachedTo(text));
    if (result.ok) this.#ownCommands.clear();
    const whose = focus === this.#task ? "" : ` of ${taskName(focus).toLowerCase()}`;
    this.#note(result.ok ? `Queued for the next request${whose}${about}` : result.message);
  }

  #note(text: string): void {
    this.#showLine(this.#style.dim(text));
  }

  /** A command may end after the run. */
  #showLine(line: string): void {
    if (this.#phase !== "over") this.#ui.output.line(line);
  }

  #inputEnded(): void {
    this.#query.answer("");
    if (this.#dialog !== undefined) this.#endUnanswered(this.#dialog);
    else if (this.#phase === "unstarted") this.#endWith(endWithoutPrompt(this.#isPerson));
  }

  #endUnanswered({ ask, asker, question }: AskDialog): void {
    if (question === undefined) return;
    this.#endWith(endUnanswered(ask, { isOwn: asker === this.#task, isPerson: this.#isPerson }));
  }
}

const formatDropped = (commands: number): string =>
  commands === 0
    ? NO_COMMAND
    : `The model does not get the output of your ${commands === 1 ? "command" : `${commands} commands`}.`;
