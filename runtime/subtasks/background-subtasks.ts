import { filter, firstValueFrom, fromEvent, map, merge, type Observable } from "rxjs";
import type { ClineMessage } from "../../machines/message/message.ts";
import { dottedPath } from "../../machines/message/states.ts";
import { unendedSubtasks } from "../../machines/task/background-subtasks.ts";
import type { BackgroundSubtask } from "../../machines/task/task.events.ts";
import type { BackgroundSubtaskState, BackgroundSubtasks } from "../../ports/background-subtasks.ts";
import { type StatusFacts, taskStatus } from "../../present/task-status.ts";
import { titleOf } from "../../store/task-history/title.ts";
import { subtaskOf } from "../../tools/builtin/new-task.ts";
import { ToolError } from "../../tools/error.ts";
import { cutEnd } from "../../tools/text.ts";
import { restReason } from "../../wire/rest-reason.ts";
import type { Task } from "../task/task.ts";

/** Maximum bytes of the newest text of a subtask. */
const LATEST_MAX_BYTES = 2_000;

/** The open tasks of a host. */
interface OpenTasks {
  readonly tasks: ReadonlyMap<string, Task>;
  /** Each task when it is opened. */
  readonly opened$: Observable<Task>;
}

/** The subtasks in the background of a task of a host. */
export class OpenBackgroundSubtasks implements BackgroundSubtasks {
  readonly #parentId: string;
  readonly #host: OpenTasks;

  constructor(parentId: string, host: OpenTasks) {
    this.#parentId = parentId;
    this.#host = host;
  }

  async send(subtaskId: string, message: string, signal: AbortSignal): Promise<void> {
    const task = await this.#started(subtaskId, signal);
    const result = task.queue(message);
    if (result.ok) return task.flushed();
    if (result.code === "TASK_CLOSED") throw this.#unknown(subtaskId);
    throw new ToolError("FAILED", `${result.message} It gets them with its next request.`);
  }

  async states(subtaskId?: string): Promise<readonly BackgroundSubtaskState[]> {
    const named = this.#all.filter(({ childId }) => subtaskId === undefined || childId === subtaskId);
    if (subtaskId !== undefined && named.length === 0) throw this.#unknown(subtaskId);
    return Promise.all(named.map((subtask) => this.#stateOf(subtask)));
  }

  get #parent(): Task | undefined {
    return this.#host.tasks.get(this.#parentId);
  }

  get #all(): readonly BackgroundSubtask[] {
    return this.#parent?.snapshot.context.backgroundSubtasks ?? [];
  }

  /** The ids of the subtasks that work. */
  get #working(): readonly string[] {
    const context = this.#parent?.snapshot.context;
    const unended = context === undefined ? [] : unendedSubtasks(context);
    return unended.flatMap(({ childId, rests }) => (rests === undefined ? [childId] : []));
  }

  /** The subtask once it has its prompt: it may still be opened. */
  async #started(id: string, signal: AbortSignal): Promise<Task> {
    const parent = this.#parent;
    if (parent === undefined || !this.#working.includes(id)) throw this.#unknown(id);
    const over = merge(
      parent.events$.pipe(filter(() => !this.#working.includes(id))),
      fromEvent(signal, "abort"),
    ).pipe(map(() => undefined));
    const opened = this.#host.opened$.pipe(filter((task) => task.id === id));
    const task = this.#host.tasks.get(id) ?? (await firstValueFrom(merge(opened, over)));
    if (task === undefined || signal.aborted) throw this.#unknown(id);
    if (task.snapshot.value !== "no_task") return task;
    const started = task.events$.pipe(
      filter(({ snapshot }) => snapshot.value !== "no_task"),
      map(() => task),
    );
    const known = await firstValueFrom(merge(started, over));
    if (known === undefined) throw this.#unknown(id);
    return known;
  }

  #unknown(id: string): ToolError {
    const ids = this.#working;
    const expected = ids.length === 0 ? "none does" : `expected ${ids.join(", ")}`;
    const ended = this.#all.some(({ childId, end }) => childId === id && end !== undefined);
    return new ToolError(
      "NOT_FOUND",
      ended
        ? `Subtask ${id} has ended: you get its result with your next request.`
        : `No subtask ${id.slice(0, 200)} of this task works in the background: ${expected}.`,
    );
  }

  async #stateOf({ childId: id, rests, end, input }: BackgroundSubtask): Promise<BackgroundSubtaskState> {
    const named = { id, ...titleIn(input) };
    if (end !== undefined) return { ...named, state: "ended: you get its result with your next request" };
    const task = this.#host.tasks.get(id);
    if (task === undefined || task.parent?.taskId !== this.#parentId)
      return { ...named, state: rests === undefined ? "running: is being opened" : "does not work now" };
    const { tokensIn, tokensOut, cost } = await task.totalUsage();
    const latest = task.log.toArray().findLast(({ say }) => say === "text")?.text ?? undefined;
    return {
      ...named,
      state: stateIn(task),
      ...(latest !== undefined && { latest: cutEnd(latest, LATEST_MAX_BYTES) }),
      used: { tokens: tokensIn + tokensOut, cost },
    };
  }
}

/** The title that lists show: the name that the call gives, or the first line of its message. */
function titleIn(input: BackgroundSubtask["input"]): { readonly title?: string } {
  const { name, prompt = "" } = subtaskOf(input) ?? {};
  const title = name ?? titleOf(prompt);
  return title === "" ? {} : { title };
}

/** The state of a task in words: `waiting: asks to run npm test`. */
function stateIn({ state: { state }, snapshot: { value }, log }: Task): string {
  const path = dottedPath(value);
  const last = log.at(-1) ?? {};
  const rest = restReason(path, last);
  const ask = askIn(last);
  const { word, reason } = taskStatus({
    state,
    path,
    isAwaited: true,
    ...(rest !== undefined && { rest }),
    ...(ask !== undefined && { ask }),
  });
  return reason === "" ? word : `${word}: ${reason}`;
}

const askIn = ({ ask: kind, text, errorCode }: Partial<ClineMessage>): StatusFacts["ask"] =>
  kind === undefined ? undefined : { kind, text: text ?? "", ...(errorCode !== undefined && { errorCode }) };
